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

/** What a memory borrows from the best of those around it. */
export interface Borrowed {
  /** Relevance of that neighbour, 0..1. */
  neighbour: number;
  /** What is left of it after distance and the memory's own length. */
  normalized: number;
}

interface Part {
  normalized: number;
  weight: number;
  contribution: number;
}

export interface ScoreBreakdown {
  vector: Part & { similarity: number | null };
  text: Part & { bm25: number; terms: readonly { term: string; tf: number }[] };
  context: Part & { neighbour: number };
  recency: Part & { age_days: number };
  authority: Part & { kind: string };
}

export interface Fused {
  score: number;
  breakdown: ScoreBreakdown;
}

const dayMs = 86_400_000;
const alone: Borrowed = { neighbour: 0, normalized: 0 };

/** Scores a candidate. The score is the sum of the contributions and nothing else. */
export function fuse(features: Features, profile: RankingProfile, now: Date, borrowed = alone): Fused {
  const { weights } = profile;
  const { similarity, bm25, terms, kind } = features;
  const ageDays = Math.max(0, (now.getTime() - features.at.getTime()) / dayMs);

  const breakdown: ScoreBreakdown = {
    vector: { similarity, ...part(normalizeSimilarity(features, profile), weights.vector) },
    text: { bm25, ...part(normalizeBm25(features, profile), weights.text), terms },
    context: { neighbour: borrowed.neighbour, ...part(borrowed.normalized, weights.context) },
    recency: { age_days: ageDays, ...part(0.5 ** (ageDays / profile.recency.halfLifeDays), weights.recency) },
    authority: { kind, ...part(normalizeKind(kind, profile), weights.authority) },
  };
  const score = Object.values(breakdown).reduce((sum, { contribution }) => sum + contribution, 0);
  return { score, breakdown };
}

/** How well a memory by itself answers the query, 0..1: its two legs without context, age or authority. */
export function relevance(features: Features, profile: RankingProfile): number {
  const { vector, text } = profile.weights;
  return (vector * normalizeSimilarity(features, profile) + text * normalizeBm25(features, profile)) / (vector + text);
}

function part(normalized: number, weight: number): Part {
  return { normalized, weight, contribution: normalized * weight };
}

function normalizeSimilarity({ similarity }: Features, profile: RankingProfile): number {
  if (similarity === null) return 0;
  const { floor, ceiling } = profile.vector;
  return Math.min(1, Math.max(0, (similarity - floor) / (ceiling - floor)));
}

/** The share s of the reachable score, saturated: (1 + h) s / (s + h) is 0 at 0, 1 at 1 and steep in between. */
function normalizeBm25({ bm25, reachable }: Features, profile: RankingProfile): number {
  if (bm25 <= 0 || reachable <= 0) return 0;
  const share = Math.min(1, bm25 / reachable);
  const { half } = profile.text;
  return ((1 + half) * share) / (share + half);
}

function normalizeKind(kind: string, { authority }: RankingProfile): number {
  const named = Object.hasOwn(authority.kinds, kind) ? authority.kinds[kind] : undefined;
  return named ?? authority.otherwise;
}
