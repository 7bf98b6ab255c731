import { type Effect, effects } from '../../src/memory/memory.ts';
import { formatTable } from '../table.ts';
import type { SetFigures } from './figures.ts';
import type { LatencyRow } from './latency.ts';

export interface Report {
  model: string;
  engine: string;
  threshold: number;
  sets: Record<string, SetFigures>;
  /** Over HTTP, by policies in scope. */
  latency?: LatencyRow[];
}

export function printReport(report: Report): string {
  const sets = Object.entries(report.sets);
  return [
    `Model ${report.model}, ${report.engine}, relevance threshold ${report.threshold}.`,
    formatTable([
      ['set', 'n', 'exact', 'false block', 'false alarm', 'stopped', 'false stop', 'cost score', 'cited 1st', 'in 3', 'p50 ms', 'p95 ms'],
      ...sets.map(([name, set]) => [
        name,
        String(set.n),
        ...[set.exact, set.false_block_rate, set.false_alarm_rate, set.stopped, set.false_stop_rate, set.cost_score, set.deciding_in_1, set.deciding_in_3].map(
          decimals,
        ),
        set.latency_ms.p50.toFixed(1),
        set.latency_ms.p95.toFixed(1),
      ]),
    ]),
    ...sets
      .filter(([, { exact }]) => !Number.isNaN(exact))
      .flatMap(([name, set]) => [confusionTable(name, set), ...(set.curve ? [curveTable(name, set)] : [])]),
    ...(report.latency ? [latencyTable(report.latency)] : []),
  ].join('\n\n');
}

function confusionTable(name: string, { confusion, recall, precision }: SetFigures): string {
  const figure = (of: Partial<Record<Effect, number>>, effect: Effect) => decimals(of[effect]);
  return formatTable([
    [`${name}: expected \\ given`, ...effects, 'recall', 'precision'],
    ...effects.map((row) => [row, ...effects.map((column) => String(confusion[row][column])), figure(recall, row), figure(precision, row)]),
  ]);
}

function curveTable(name: string, { curve = [] }: SetFigures): string {
  return formatTable([
    [`${name}: threshold`, 'stopped', 'false block', 'false alarm', 'exact'],
    ...curve.map((point) => [point.threshold.toFixed(2), ...[point.stopped, point.false_block_rate, point.false_alarm_rate, point.exact].map(decimals)]),
  ]);
}

function latencyTable(rows: readonly LatencyRow[]): string {
  return formatTable([
    ['policies in scope, over HTTP', 'p50 ms', 'p95 ms'],
    ...rows.map(({ policies, p50, p95 }) => [String(policies), p50.toFixed(1), p95.toFixed(1)]),
  ]);
}

function decimals(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(3);
}
