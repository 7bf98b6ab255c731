import { percentile } from '../percentile.ts';
import type { GivenBaselines } from './baselines.ts';
import { baselineColumns } from './bm25.ts';
import { type Difference, type Interval, interval, pairedDifference } from './bootstrap.ts';
import type { QuestionSet } from './dataset.ts';
import type { Leg } from './legs.ts';
import { auroc, evaluate, type Metric, type Metrics, mean, metricNames } from './metrics.ts';
import type { Answer } from './run.ts';

/** What `--json` holds, and what a later run is compared with. */
export interface Report {
  profile: string;
  model: string;
  engine: string;
  seconds: number;
  sets: Record<string, SetReport>;
}

/** The service's legs, and the baseline beside them. */
export type Contender = Leg | 'baseline';
export const contenders = ['hybrid', 'vector', 'text', 'baseline'] as const satisfies readonly Contender[];

export interface Figures extends Metrics {
  n: number;
  ci95?: Record<Metric, Interval>;
  /** Of the baseline: k1 and b. */
  column?: string;
}

export interface SetReport extends Partial<Record<Contender, Figures>> {
  categories: Record<string, Partial<Record<Contender, Figures>>>;
  /** Whether the best hit's score tells questions that have an answer from those that have none. */
  abstention?: Partial<Record<Leg, number>> & { auroc: number; answered: number; unanswered: number };
  /** Of the first leg that ran, embedding included. */
  query_ms: { p50: number; p95: number };
  index_per_s: number;
  memories: number;
  refused: number;
  /** nDCG@10 of the first leg minus that of the baseline, per question. */
  against_baseline?: Difference;
  /** Figures per question, in the order of `ids`, for comparisons of runs. */
  queries: { ids: string[] } & Record<PerQuery, Partial<Record<Contender, number[]>>>;
}

export const perQuery = ['nDCG@10', 'R@10'] as const satisfies readonly Metric[];
type PerQuery = (typeof perQuery)[number];

/** What the report of one set is made from. */
export interface SetRun {
  set: QuestionSet;
  answers: ReadonlyMap<Leg, readonly Answer[]>;
  /** Rankings by column. */
  baseline: ReadonlyMap<string, readonly string[][]>;
  /** Answers to questions that do have an answer, for a set whose own have none. */
  answeredElsewhere: ReadonlyMap<Leg, readonly Answer[]> | undefined;
  perSecond: number;
  memories: number;
  refused: number;
}

/** Fewer say nothing. */
const leastUnanswered = 5;

export function reportSet(run: SetRun, given: GivenBaselines): SetReport {
  const { set, answers } = run;
  const judged = set.queries.flatMap((query, at) => (set.relevance.has(query.id) ? [{ query, at }] : []));
  const measure = (rankings: readonly (readonly string[])[]) =>
    judged.map(({ query, at }) => evaluate(rankings[at] ?? [], set.relevance.get(query.id) ?? new Map()));

  const column = betterColumn(run, given, measure);
  const measured = new Map<Contender, Metrics[]>();
  for (const [leg, given] of answers) measured.set(leg, measure(given.map(({ ranking }) => ranking)));
  measured.set('baseline', measure(run.baseline.get(column) ?? []));

  const [[first, firstAnswers]] = [...answers] as [[Leg, readonly Answer[]]];
  const categories = [...new Set(judged.flatMap(({ query }) => query.category ?? []))].sort();
  const abstention = abstentionOf(run);
  return {
    ...mapContenders(measured, (metrics, contender) => ({
      ...figures(metrics),
      ...(contender === 'baseline' ? { column } : { ci95: intervals(metrics) }),
    })),
    categories: Object.fromEntries(
      categories.map((category) => [
        category,
        mapContenders(measured, (metrics) => figures(metrics.filter((_, index) => judged[index]?.query.category === category))),
      ]),
    ),
    ...(abstention && { abstention }),
    query_ms: {
      p50: percentile(
        firstAnswers.map(({ ms }) => ms),
        0.5,
      ),
      p95: percentile(
        firstAnswers.map(({ ms }) => ms),
        0.95,
      ),
    },
    index_per_s: run.perSecond,
    memories: run.memories,
    refused: run.refused,
    against_baseline: pairedDifference(
      judged.map((_, index) => metricAt(measured, first, 'nDCG@10', index) - metricAt(measured, 'baseline', 'nDCG@10', index)),
    ),
    queries: {
      ids: judged.map(({ query }) => query.id),
      ...(Object.fromEntries(perQuery.map((metric) => [metric, mapContenders(measured, (metrics) => metrics.map((each) => round(each[metric])))])) as Record<
        PerQuery,
        object
      >),
    },
  };
}

/** The column with the better nDCG@10, by the set's own baselines where they have it. */
function betterColumn({ set, baseline }: SetRun, given: GivenBaselines, measure: (rankings: readonly string[][]) => Metrics[]): string {
  const quality = (label: string) =>
    given.get(set.baselineKey)?.get(label)?.['nDCG@10'] ?? mean(measure(baseline.get(label) ?? []).map((metrics) => metrics['nDCG@10']));
  return baselineColumns.map(({ label }) => label).reduce((best, label) => (quality(label) > quality(best) ? label : best));
}

/** A category without a single relevance row asks for what is not there; a lone question without one may just lack its row. */
function abstentionOf({ set, answers, answeredElsewhere }: SetRun): SetReport['abstention'] {
  const answerable = new Set(set.queries.filter(({ id }) => set.relevance.has(id)).map(({ category }) => category));
  const isUnanswered = (at: number) => set.adversarial || !answerable.has(set.queries[at]?.category);
  const byLeg = [...answers].map(([leg, own]) => {
    const unanswered = own.filter((_, at) => isUnanswered(at)).map(({ best }) => best);
    const answered = (answeredElsewhere?.get(leg) ?? own.filter((_, at) => set.relevance.has(set.queries[at]?.id ?? ''))).map(({ best }) => best);
    return { leg, answered, unanswered };
  });
  const [first] = byLeg;
  if (first === undefined || first.unanswered.length < leastUnanswered || first.answered.length === 0) return undefined;
  return {
    auroc: auroc(first.answered, first.unanswered),
    answered: first.answered.length,
    unanswered: first.unanswered.length,
    ...Object.fromEntries(byLeg.map(({ leg, answered, unanswered }) => [leg, auroc(answered, unanswered)])),
  };
}

function figures(metrics: readonly Metrics[]): Figures {
  return { n: metrics.length, ...ofEach((metric) => mean(metrics.map((each) => each[metric]))) };
}

function intervals(metrics: readonly Metrics[]): Record<Metric, Interval> {
  return ofEach((metric) => interval(metrics.map((each) => each[metric])));
}

function ofEach<T>(make: (metric: Metric) => T): Record<Metric, T> {
  return Object.fromEntries(metricNames.map((metric) => [metric, make(metric)])) as Record<Metric, T>;
}

function mapContenders<T>(measured: ReadonlyMap<Contender, Metrics[]>, make: (metrics: Metrics[], contender: Contender) => T): Partial<Record<Contender, T>> {
  return Object.fromEntries([...measured].map(([contender, metrics]) => [contender, make(metrics, contender)]));
}

function metricAt(measured: ReadonlyMap<Contender, readonly Metrics[]>, contender: Contender, metric: Metric, index: number): number {
  return measured.get(contender)?.[index]?.[metric] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
