import { createRandom } from '../random.ts';
import { mean } from './metrics.ts';

/** Percentile bootstrap over queries (Efron; Sakai 2006 for retrieval), seeded, so that the same results give the same intervals. */

const rounds = 1_000;
const seed = 20_061_106;

export type Interval = [low: number, high: number];

/** 95 % interval of the mean. */
export function interval(values: readonly number[]): Interval {
  const means = resampledMeans(values);
  return [at(means, 0.025), at(means, 0.975)];
}

export interface Difference {
  mean: number;
  ci95: Interval;
  /** Two-sided. */
  p: number;
}

/** Of differences per query, so that only what changed for the same question counts. */
export function pairedDifference(differences: readonly number[]): Difference {
  const means = resampledMeans(differences);
  const share = (test: (value: number) => boolean) => means.filter(test).length / means.length;
  return {
    mean: mean(differences),
    ci95: [at(means, 0.025), at(means, 0.975)],
    p: Math.min(
      1,
      2 *
        Math.min(
          share((value) => value <= 0),
          share((value) => value >= 0),
        ),
    ),
  };
}

export function isSignificant({ ci95: [low, high] }: Difference): boolean {
  return low > 0 || high < 0;
}

/** Ascending. */
function resampledMeans(values: readonly number[]): Float64Array {
  const random = createRandom(seed);
  const means = new Float64Array(rounds);
  for (let round = 0; round < rounds; round += 1) {
    let sum = 0;
    for (let i = 0; i < values.length; i += 1) sum += values[random.below(values.length)] as number;
    means[round] = sum / values.length;
  }
  return means.sort();
}

function at(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
