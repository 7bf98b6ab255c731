/** Everything about a ranking that may be tuned, as data: bound to one embedding model, reported with results, switchable by configuration. */
export interface RankingProfile {
  name: string;
  version: number;
  /** Id of the embedding model whose similarities the constants below were chosen for. */
  model: string;
  /** `length`: the document length, in terms, at which tf is neither raised nor lowered. */
  bm25: { k1: number; b: number; length: number };
  /** How many hits of each leg are candidates. */
  candidates: { vector: number; text: number };
  /** Sum to 1, so that the score stays within 0..1. */
  weights: { vector: number; text: number; context: number; recency: number; authority: number };
  /** Similarities mapped to 0 and to 1, linear between; and how many words of a query are embedded. */
  vector: { floor: number; ceiling: number; queryWords: number };
  /** Share of the reachable BM25 that is worth about one half. */
  text: { half: number };
  /** How far and how strongly short memories borrow from those written around them on the same occasion. */
  context: { reach: number; decay: number; length: number; gapMinutes: number };
  recency: { halfLifeDays: number };
  /** 0..1 per kind of memory; kinds not listed count as `otherwise`. */
  authority: { kinds: Readonly<Record<string, number>>; otherwise: number };
  /** `relevance`: score above which a hit bears on the question. `duplicate`: similarity above which two memories say the same. */
  thresholds: { relevance: number; duplicate: number };
}

/**
 * Figures are mean nDCG@10 over the 14 development sets, hybrid, chosen with each set left out in turn; differences under .002 are noise.
 * BM25 as published (the better of two settings per set) has .606 there.
 */
export const defaultProfile: RankingProfile = {
  name: 'static',
  version: 2,
  model: 'kneeboard/static-20k-512',
  // A fixed reference length instead of the scope's average: text alone .630 against .620 at the best b. Where notes and long
  // answers share a scope the average is set by the answers, and every note then looks equally short (.367 against .452).
  bm25: { k1: 0.9, b: 0.9, length: 60 },
  candidates: { vector: 100, text: 100 },
  // Vector : text : context = .4 : .6 : .2 (.654; .25 : .75 gives .650, .45 : .55 .652). Authority and recency only order equals.
  weights: { vector: 0.3, text: 0.45, context: 0.21, recency: 0.01, authority: 0.03 },
  // Unrelated texts of this model lie at a median of .10, the best hit of a question at .56 (90 %).
  vector: { floor: 0.05, ceiling: 0.7, queryWords: 48 },
  // Relative to what the query can reach, so that a score means the same for long and short queries: best hits of answered
  // questions against questions put to a foreign scope, AUROC .94 against .89 for the saturation of the bare BM25.
  text: { half: 0.3 },
  // Conversations .526 to .544 and, with answers among the notes, .470 to .497. No other set changes.
  context: { reach: 3, decay: 0.8, length: 40, gapMinutes: 60 },
  recency: { halfLifeDays: 90 },
  authority: { kinds: { policy: 1, lesson: 0.4, decision: 0.4, procedure: 0.4 }, otherwise: 0.3 },
  thresholds: { relevance: 0.3, duplicate: 0.6 },
};
