import type { Kind } from '../memory/memory.ts';
import type { AdmittedQuery } from './admission.ts';
import { type Filters, filterValues, passesFilters, vectorText } from './filters.ts';

export interface CandidateQuery {
  terms: readonly { term: string; weight: number }[];
  /** Undefined: search by words alone. */
  vector: Float32Array | undefined;
  /** `length`: the document length at which term frequency is neither raised nor lowered. */
  bm25: { k1: number; b: number; length: number };
  /** How many of each leg become candidates. */
  pool: { vector: number; text: number };
  /** Memories that are scored whether or not a leg brings them up. */
  include?: readonly number[] | undefined;
}

/** A memory that one of the legs brought up, with the raw features of both. */
export interface Candidate {
  memoryNo: number;
  id: string;
  kind: Kind;
  /** When it happened, or else when it was written. */
  at: Date;
  /** Dot product with the query; null without a vector of the active model. */
  similarity: number | null;
  bm25: number;
  /** BM25 of a memory that says all the query asks, in the searched scopes. */
  reachable: number;
  terms: { term: string; tf: number }[];
  /** Where it stands among those written around it; undefined when it does not say when it happened. */
  place: { timeline: number; position: number; occurredAt: Date; length: number } | undefined;
}

/**
 * Nearest by vector ∪ best by BM25 (Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative), in the admitted scopes.
 * OR semantics. Statistics are those of the searched scopes themselves. Each leg is cut before it meets the memory table, four times as
 * deep as asked, since some rows are superseded or expired; with selective filters it is not cut, so that a filter never hides a match.
 */
export async function findCandidates(admitted: AdmittedQuery, query: CandidateQuery & { filters: Filters }, now: Date): Promise<Candidate[]> {
  const { filters, terms, vector, bm25, pool } = query;
  const selective = Boolean(filters.kinds || filters.tags || filters.since || filters.until || filters.asOf);
  const rows = await admitted<{
    memory_no: number;
    memory_id: string;
    kind: Kind;
    at: Date;
    similarity: number | null;
    bm25: number;
    reachable: number;
    terms: { term: string; tf: number }[];
    scope_no: number;
    occurred_at: Date | null;
    length: number | null;
  }>(
    filters.scopeKeys,
    `, corpus as (
  select greatest(sum(memories), 1)::float8 as n from admitted
), asked as (
  select term, weight from unnest($10::text[], $11::float8[]) as q (term, weight)
), hit as materialized (
  select p.memory_no, p.term, p.frequency, p.length
  from asked q join posting p on p.tenant_id = $1 and p.term = q.term join admitted using (scope_no)
), told as materialized (
  select q.term, q.weight * ln(1 + (greatest(c.n, count(h.term)) - count(h.term) + 0.5) / (count(h.term) + 0.5)) as idf
  from asked q cross join corpus c left join hit h on h.term = q.term
  group by q.term, q.weight, c.n
), lexical as materialized (
  select h.memory_no, sum(t.idf * h.frequency * ($12::float8 + 1) / (h.frequency + $12::float8 * (1 - $13::float8 + $13::float8 * h.length / $20::float8))) as bm25
  from hit h join told t using (term)
  group by h.memory_no
), lexical_head as (
  select memory_no, bm25 from lexical order by bm25 desc, memory_no limit $14::bigint
), best_lexical as (
  select l.memory_no
  from lexical_head l join memory m on m.tenant_id = $1 and m.memory_no = l.memory_no
  where ${passesFilters('m', 4)}
  order by l.bm25 desc, l.memory_no
  limit $15::int
), vector_head as (
  select v.memory_no, v.embedding <#> $16::vector as distance
  from memory_vector v join admitted using (scope_no) join embedding_model e on e.model_no = v.model_no and e.active
  where v.tenant_id = $1 and $16::text is not null
  order by distance, v.memory_no
  limit $17::bigint
), best_vector as (
  select v.memory_no
  from vector_head v join memory m on m.tenant_id = $1 and m.memory_no = v.memory_no
  where ${passesFilters('m', 4)}
  order by v.distance, v.memory_no
  limit $18::int
), candidate as materialized (
  select memory_no from best_lexical union select memory_no from best_vector union select unnest($19::bigint[])
), held as (
  select h.memory_no, jsonb_agg(jsonb_build_object('term', h.term, 'tf', h.frequency) order by h.term) as terms
  from hit h join candidate using (memory_no) group by h.memory_no
)
select m.memory_no, m.memory_id, m.kind, coalesce(m.occurred_at, m.created_at) as at, -(v.embedding <#> $16::vector) as similarity,
  coalesce(l.bm25, 0)::float8 as bm25, (select coalesce(sum(idf), 0) * ($12::float8 + 1) from told)::float8 as reachable, coalesce(t.terms, '[]') as terms, m.scope_no, m.occurred_at, m.length
from candidate c
join memory m on m.tenant_id = $1 and m.memory_no = c.memory_no
join admitted on admitted.scope_no = m.scope_no
left join lexical l on l.memory_no = c.memory_no
left join held t on t.memory_no = c.memory_no
left join (memory_vector v join embedding_model e on e.model_no = v.model_no and e.active)
  on v.tenant_id = $1 and v.scope_no = m.scope_no and v.memory_no = c.memory_no`,
    [
      ...filterValues(filters, now),
      terms.map(({ term }) => term),
      terms.map(({ weight }) => weight),
      bm25.k1,
      bm25.b,
      selective ? null : pool.text * 4,
      pool.text,
      vector ? vectorText(vector) : null,
      selective ? null : pool.vector * 4,
      pool.vector,
      query.include ?? [],
      bm25.length,
    ],
  );
  return rows.map(({ memory_no: memoryNo, memory_id: id, scope_no: timeline, occurred_at: occurredAt, length, ...row }) => ({
    memoryNo,
    id,
    ...row,
    place: occurredAt ? { timeline, position: memoryNo, occurredAt, length: length ?? 0 } : undefined,
  }));
}
