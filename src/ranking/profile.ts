/** Everything about a ranking that may be tuned, as data: bound to one embedding model, reported with results, switchable by configuration. */
export interface RankingProfile {
  name: string;
  version: number;
  /** Id of the embedding model whose similarities the constants below were chosen for. */
  model: string;
  bm25: { k1: number; b: number };
  /** How many hits of each leg are candidates. */
  candidates: { vector: number; text: number };
  /** Sum to 1, so that the score stays within 0..1. */
  weights: { vector: number; text: number; recency: number; authority: number };
  /** Similarities mapped to 0 and to 1; linear between. */
  vector: { floor: number; ceiling: number };
  /** BM25 score that is worth one half. */
  text: { half: number };
  recency: { halfLifeDays: number };
  /** 0..1 per kind of memory; kinds not listed count as `otherwise`. */
  authority: { kinds: Readonly<Record<string, number>>; otherwise: number };
  /** `relevance`: score above which a hit bears on the question. `duplicate`: similarity above which two memories say the same. */
  thresholds: { relevance: number; duplicate: number };
}

export const defaultProfile: RankingProfile = {
  name: 'static',
  version: 1,
  model: 'kneeboard/static-20k-512',
  bm25: { k1: 1.2, b: 0.75 },
  candidates: { vector: 100, text: 100 },
  weights: { vector: 0.42, text: 0.52, recency: 0.02, authority: 0.04 },
  vector: { floor: 0, ceiling: 0.7 },
  text: { half: 12 },
  recency: { halfLifeDays: 90 },
  authority: { kinds: { policy: 1, lesson: 0.4, decision: 0.4, procedure: 0.4 }, otherwise: 0.3 },
  thresholds: { relevance: 0.3, duplicate: 0.6 },
};
