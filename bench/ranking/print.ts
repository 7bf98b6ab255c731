import { formatTable } from '../table.ts';
import { isSignificant } from './bootstrap.ts';
import { mean, metricNames } from './metrics.ts';
import { contenders, type Figures, type Report, type SetReport } from './report.ts';

/** The report as text: quality by set, by category, then abstention and speed. */
export function printReport(report: Report): string {
  const sets = Object.entries(report.sets);
  return [
    `Profile ${report.profile}, model ${report.model}, ${report.engine}, ${report.seconds.toFixed(0)} s. Brackets: 95 % of bootstrap resamples; * : differs from BM25 with significance.`,
    qualityTable(sets),
    ...(sets.some(([, { categories }]) => Object.keys(categories).length > 1) ? [`nDCG@10 and R@10 by category`, categoryTable(sets)] : []),
    speedTable(sets),
    ...summary(sets),
  ].join('\n\n');
}

type Sets = readonly (readonly [name: string, set: SetReport])[];

function qualityTable(sets: Sets): string {
  const rows = sets.flatMap(([name, set]) =>
    contenders.flatMap((contender) => {
      const row = set[contender];
      if (row === undefined) return [];
      const label = contender === 'baseline' ? `BM25 ${row.column}` : contender;
      return [[name, String(row.n), label, ...metricNames.map((metric) => decimals(row[metric])), bracket(row), contender === 'hybrid' ? against(set) : '']];
    }),
  );
  return formatTable([['set', 'n', 'ranked by', ...metricNames, '95 % of nDCG', 'nDCG vs BM25'], ...rows]);
}

function categoryTable(sets: Sets): string {
  const rows = sets.flatMap(([name, { categories }]) =>
    Object.keys(categories).length < 2
      ? []
      : Object.entries(categories).map(([category, figures]) => [
          name,
          category,
          String(Object.values(figures)[0]?.n ?? 0),
          ...contenders.map((contender) => decimals(figures[contender]?.['nDCG@10'])),
          ...contenders.map((contender) => decimals(figures[contender]?.['R@10'])),
        ]),
  );
  return formatTable([
    ['set', 'category', 'n', ...contenders.map((contender) => `nDCG ${contender}`), ...contenders.map((contender) => `R@10 ${contender}`)],
    ...rows,
  ]);
}

function speedTable(sets: Sets): string {
  const rows = sets.map(([name, { memories, refused, index_per_s, query_ms, abstention }]) => [
    name,
    String(memories),
    String(refused),
    index_per_s.toFixed(0),
    query_ms.p50.toFixed(1),
    query_ms.p95.toFixed(1),
    decimals(abstention?.auroc),
    abstention === undefined ? '' : `${abstention.answered} / ${abstention.unanswered}`,
  ]);
  return formatTable([['set', 'memories', 'refused', 'loaded/s', 'query p50 ms', 'p95 ms', 'abstention AUROC', 'answered / not'], ...rows]);
}

/** Variants, which have a slash in their names, are left out: they ask the same questions. */
function summary(sets: Sets): string[] {
  const main = sets.filter(([name, { baseline }]) => !name.includes('/') && baseline !== undefined);
  if (main.length < 2) return [];
  const better = main.filter(([, { hybrid, against_baseline: difference }]) => hybrid && difference && isSignificant(difference) && difference.mean > 0).length;
  const means = contenders.flatMap((contender) => {
    const values = main.flatMap(([, set]) => set[contender]?.['nDCG@10'] ?? []);
    return values.length < main.length ? [] : [`${contender} ${decimals(mean(values))}`];
  });
  return [`Mean nDCG@10 of ${main.length} sets: ${means.join(', ')}. Hybrid is better than BM25 with significance on ${better} of them.`];
}

function against({ against_baseline: difference }: SetReport): string {
  return difference === undefined ? '' : `${difference.mean < 0 ? '' : '+'}${decimals(difference.mean)}${isSignificant(difference) ? ' *' : ''}`;
}

function bracket({ ci95 }: Figures): string {
  return ci95 === undefined ? '' : `[${ci95['nDCG@10'].map(decimals).join(' ')}]`;
}

function decimals(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(3);
}
