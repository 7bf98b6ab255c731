import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { type CurvePoint, figuresOf, type SetFigures } from './figures.ts';
import { measureLatency } from './latency.ts';
import { readPacks } from './packs.ts';
import { renderPage } from './page.ts';
import { printReport, type Report } from './print.ts';
import { type Answer, check, type LoadedSet, load } from './run.ts';
import { openPreflightService, type PreflightService } from './service.ts';
import { loadSets } from './sets.ts';

interface Options {
  data: string;
  set?: string[];
  model?: string;
  databaseUrl?: string;
  sizes: number[];
  curve: boolean;
  json?: string;
  html?: string;
}

/** The set that comes with the project. */
const ownSet = fileURLToPath(new URL('../data/preflight', import.meta.url));

export function preflightCommand(): Command {
  return new Command('preflight')
    .description('verdicts of preflight on labelled sets: policies are remembered and actions checked through the service')
    .option('--data <dir>', 'folder of a set, or of many', ownSet)
    .option('--set <name>', 'only this set; may be given several times', (name, before: string[] = []) => [...before, name])
    .option('--model <id>', 'embedding model, by id or path')
    .option('--database-url <url>', 'Postgres server that may be given a database for the time of the run, instead of PGlite')
    .option('--sizes <list>', 'policies in scope when latency is measured over HTTP; 0 leaves it out', readSizes, [10, 100, 1_000, 10_000])
    .option('--no-curve', 'do not try other relevance thresholds')
    .option('--json <file>', 'write the figures there')
    .option('--html <file>', 'write a report with the wrong verdicts there, one file')
    .action(run);
}

async function run({ data, set, model, databaseUrl, sizes, curve, json, html }: Options): Promise<void> {
  const sets = loadSets(data, set ?? [], readPacks());
  const figures: Record<string, SetFigures> = {};
  const answers = new Map<string, readonly Answer[]>();
  await using service = await openPreflightService({ serverUrl: databaseUrl, model });
  for (const one of sets) {
    const loaded = await load(service, one);
    const given = await check(loaded);
    answers.set(one.name, given);
    figures[one.name] = { ...figuresOf(given), ...(curve && !one.binary && { curve: await curveOf(service, loaded) }) };
  }
  const latency = sizes.length > 0 ? await measureLatency(sizes, databaseUrl) : undefined;
  const report: Report = { model: service.model, engine: service.engine, threshold: service.threshold, sets: figures, ...(latency && { latency }) };
  process.stdout.write(`${printReport(report)}\n`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report)}\n`);
  if (html !== undefined) await writeFile(html, renderPage(report, answers));
}

const steps = [0.4, 0.6, 0.8, 1, 1.2, 1.5, 2] as const;

async function curveOf(service: PreflightService, loaded: LoadedSet): Promise<CurvePoint[]> {
  const points: CurvePoint[] = [];
  for (const step of steps) {
    const threshold = Math.round(service.threshold * step * 1_000) / 1_000;
    const { exact, stopped, false_block_rate, false_alarm_rate } = figuresOf(await check(loaded, threshold));
    points.push({ threshold, exact, stopped, false_block_rate, false_alarm_rate });
  }
  return points;
}

function readSizes(text: string): number[] {
  if (text === '0') return [];
  const sizes = text.split(',').map(Number);
  if (sizes.some((size, at) => !Number.isInteger(size) || size < 1 || size <= (sizes[at - 1] ?? 0)))
    throw new InvalidArgumentError('Sizes are whole numbers, ascending.');
  return sizes;
}
