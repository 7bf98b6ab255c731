import { type Borrowed, type Features, type Fused, fuse, relevance } from './fuse.ts';
import type { RankingProfile } from './profile.ts';

/** Where a memory stands among those written around it. */
export interface Place {
  /** Memories of different timelines are never neighbours: the scope. */
  timeline: string | number;
  /** Ascends as memories are written; gaps are allowed. */
  position: number;
  /** When it happened; only memories that say so have neighbours. */
  occurredAt: Date;
  /** In terms, as `analyze` counts them. */
  length: number;
}

export interface Candidate extends Features {
  id: string;
  place?: Place | undefined;
}

/** All candidates of a search, best first. Candidates lend to one another: the turn that answers often repeats no word of the question. */
export function rank<T extends Candidate>(candidates: readonly T[], profile: RankingProfile, now: Date): (Fused & { candidate: T })[] {
  const relevances = new Map(
    candidates.flatMap((candidate) => (candidate.place ? [[key(candidate.place), { place: candidate.place, relevance: relevance(candidate, profile) }]] : [])),
  );
  return candidates
    .map((candidate) => ({ candidate, ...fuse(candidate, profile, now, borrow(candidate.place, relevances, profile)) }))
    .sort((a, b) => b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : 1));
}

type Relevances = ReadonlyMap<string, { place: Place; relevance: number }>;

/** The best neighbour within reach, less with distance. A long memory stands by itself and borrows little. */
function borrow(place: Place | undefined, relevances: Relevances, { context }: RankingProfile): Borrowed | undefined {
  if (place === undefined) return undefined;
  const share = Math.min(1, context.length / Math.max(1, place.length));
  let best: Borrowed | undefined;
  for (let distance = 1; distance <= context.reach; distance += 1) {
    for (const position of [place.position - distance, place.position + distance]) {
      const other = relevances.get(key({ timeline: place.timeline, position }));
      if (other === undefined || gapMinutes(other.place, place) > context.gapMinutes) continue;
      const normalized = other.relevance * context.decay ** (distance - 1) * share;
      if (best === undefined || normalized > best.normalized) best = { neighbour: other.relevance, normalized };
    }
  }
  return best;
}

function key({ timeline, position }: Pick<Place, 'timeline' | 'position'>): string {
  return `${position} ${timeline}`;
}

function gapMinutes(one: Place, other: Place): number {
  return Math.abs(one.occurredAt.getTime() - other.occurredAt.getTime()) / 60_000;
}
