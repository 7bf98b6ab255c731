/** What is measured of one ranking. Recall is the share of all relevant documents; nDCG takes the grade itself as the gain. */
export const metricNames = ['R@1', 'R@5', 'R@10', 'R@20', 'nDCG@10', 'MRR@10'] as const;
export type Metric = (typeof metricNames)[number];
export type Metrics = Record<Metric, number>;

/** `ranking` holds no document twice; `relevance` is not empty. */
export function evaluate(ranking: readonly string[], relevance: ReadonlyMap<string, number>): Metrics {
  const recall = (depth: number) => ranking.slice(0, depth).filter((id) => relevance.has(id)).length / relevance.size;
  const first = ranking.slice(0, 10).findIndex((id) => relevance.has(id));
  const ideal = [...relevance.values()].sort((a, b) => b - a);
  return {
    'R@1': recall(1),
    'R@5': recall(5),
    'R@10': recall(10),
    'R@20': recall(20),
    'nDCG@10': discounted(ranking.map((id) => relevance.get(id) ?? 0)) / discounted(ideal),
    'MRR@10': first < 0 ? 0 : 1 / (first + 1),
  };
}

/** Gains of the first ten places, discounted by the logarithm of the place (Järvelin and Kekäläinen 2002). */
function discounted(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The probability that a score of the first kind is higher than one of the second, ties counting half (Mann–Whitney). */
export function auroc(positives: readonly number[], negatives: readonly number[]): number {
  const sorted = [...negatives].sort((a, b) => a - b);
  const wins = positives.reduce((sum, score) => sum + (countBelow(sorted, score) + countBelow(sorted, score, true)) / 2, 0);
  return wins / (positives.length * negatives.length);
}

/** How many values lie below the limit, or on it too. */
function countBelow(sorted: readonly number[], limit: number, inclusive = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] as number;
    if (value < limit || (inclusive && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
