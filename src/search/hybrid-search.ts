import type { Context } from '../context.ts';
import type { Memory } from '../memory/memory.ts';
import type { ScoreBreakdown } from '../ranking/fuse.ts';
import { queryHead } from '../ranking/query-head.ts';
import { rank } from '../ranking/rank.ts';
import { analyzeQuery } from '../ranking/terms.ts';
import type { Filters } from '../store/filters.ts';
import { embedOrNone } from './prepare.ts';

/** A leg that could not take part. */
export type Degraded = 'vector';

export interface Scored {
  memoryNo: number;
  memory: Memory;
  score: number;
  breakdown: ScoreBreakdown;
}

export interface Ranked {
  hits: Scored[];
  /** Where the next page starts; undefined when there is none. */
  next?: Place;
  degraded: Degraded[];
}

/** A place in a ranking, good for as long as the ranking is asked at the same moment. */
export interface Place {
  score: number;
  id: string;
}

export interface SearchQuery {
  query: string;
  filters: Filters;
  limit: number;
  minScore: number;
  after?: Place | undefined;
  /** The moment that ages are counted from. */
  rankedAt: Date;
  /** Memories (by number) that are on the page whatever their score. */
  include?: readonly number[] | undefined;
}

/** Both legs bring candidates, one fusion scores them all, and only the page's memories are read whole. */
export async function hybridSearch(context: Pick<Context, 'reader' | 'embedder' | 'profile'>, search: SearchQuery): Promise<Ranked> {
  const { reader, embedder, profile } = context;
  const vector = (await embedOrNone(embedder, [queryHead(search.query, profile.vector.queryWords)], 'query'))?.[0];
  const candidates = await reader.candidates({
    terms: analyzeQuery(search.query),
    vector,
    bm25: profile.bm25,
    pool: profile.candidates,
    filters: search.filters,
    include: search.include,
  });

  const ranked = rank(candidates, profile, search.rankedAt).filter(
    ({ candidate, score }) => score >= search.minScore || search.include?.includes(candidate.memoryNo),
  );
  const { after } = search;
  const rest = after ? ranked.filter(({ score, candidate }) => score < after.score || (score === after.score && candidate.id > after.id)) : ranked;
  const page = rest.filter(({ candidate }, at) => at < search.limit || search.include?.includes(candidate.memoryNo));
  const memories = await reader.load(page.map(({ candidate }) => candidate.memoryNo));

  const last = page.at(-1);
  return {
    hits: page.flatMap(({ candidate, score, breakdown }) => {
      const memory = memories.get(candidate.memoryNo);
      return memory ? [{ memoryNo: candidate.memoryNo, memory, score, breakdown }] : [];
    }),
    ...(last && rest.length > page.length && { next: { score: last.score, id: last.candidate.id } }),
    degraded: vector ? [] : ['vector'],
  };
}
