import type { RankingProfile } from './profile.ts';

/** Raw features of one candidate, as the store computed them. */
export interface Features {
  /** Dot product of query and memory; null when the memory or the query has no vector. */
  similarity: number | null;
  bm25: number;
  /** The BM25 score of a memory that says everything the query asks: the sum of weight * idf * (k1 + 1) over the query's terms. */
  reachable: number;
  /** Query terms that the memory holds, with their frequency in it. */
  terms: readonly { term: string; tf: number }[];
  kind: string;
  /** When it happened, or else when it was written. */
  at: Date;
}

interface Part {
  normalized: number;
  weight: number;
  contribution: number;
}

export interface ScoreBreakdown {
  vector: Part & { similarity: number | null };
  text: Part & { bm25: number; terms: readonly { term: string; tf: number }[] };
  recency: Part & { age_days: number };
  authority: Part & { kind: string };
}

export interface Fused {
  score: number;
  breakdown: ScoreBreakdown;
}

const dayMs = 86_400_000;

/** Scores a candidate. The score is the sum of the four contributions and nothing else. */
export function fuse(features: Features, profile: RankingProfile, now: Date): Fused {
  const { weights } = profile;
  const { similarity, bm25, terms, kind } = features;
  const ageDays = Math.max(0, (now.getTime() - features.at.getTime()) / dayMs);

  const breakdown: ScoreBreakdown = {
    vector: { similarity, ...part(normalizeSimilarity(similarity, profile), weights.vector) },
    text: { bm25, ...part(normalizeBm25(bm25, profile), weights.text), terms },
    recency: { age_days: ageDays, ...part(0.5 ** (ageDays / profile.recency.halfLifeDays), weights.recency) },
    authority: { kind, ...part(normalizeKind(kind, profile), weights.authority) },
  };
  const score = breakdown.vector.contribution + breakdown.text.contribution + breakdown.recency.contribution + breakdown.authority.contribution;
  return { score, breakdown };
}

function part(normalized: number, weight: number): Part {
  return { normalized, weight, contribution: normalized * weight };
}

function normalizeSimilarity(similarity: number | null, profile: RankingProfile): number {
  if (similarity === null) return 0;
  const { floor, ceiling } = profile.vector;
  return Math.min(1, Math.max(0, (similarity - floor) / (ceiling - floor)));
}

function normalizeBm25(bm25: number, profile: RankingProfile): number {
  return bm25 / (bm25 + profile.text.half);
}

function normalizeKind(kind: string, { authority }: RankingProfile): number {
  const named = Object.hasOwn(authority.kinds, kind) ? authority.kinds[kind] : undefined;
  return named ?? authority.otherwise;
}
