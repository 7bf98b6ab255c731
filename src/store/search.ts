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
 * deep as asked, since some rows are superseded or expired; with selective filters what passes them is read first, so that a filter never
 * hides a match.
 *
 * The planner knows nothing of tenants, scopes and terms that lie far from the average, and without autovacuum (PGlite) nothing at all; it
 * expects one row and chooses nested loops: 270 ms instead of 14 at 1,000 memories in PGlite. So the order of work is written down: `offset 0` keeps a
 * lateral look-up one by key, `(x in (select …)) is true` is a hash of the inner rows, and no two long lists are ever joined.
 */
export async function findCandidates(admitted: AdmittedQuery, query: CandidateQuery & { filters: Filters }, now: Date): Promise<Candidate[]> {
  const { filters, terms, vector, bm25, pool } = query;
  const selective = Boolean(filters.kinds || filters.tags || filters.since || filters.until || filters.asOf);
  // A few named scopes are part of each index look-up; whatever the caller may read is checked row by row.
  const inScope = filters.scopeKeys ? 'p.scope_no = any (array(select scope_no from admitted))' : '(p.scope_no in (select scope_no from admitted)) is true';
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
    position: number | null;
  }>(
    filters.scopeKeys,
    `, corpus as (
  select greatest(sum(memories), 1)::float8 as n from admitted
), asked as materialized (
  select term, weight, no::int from unnest($10::text[], $11::float8[]) with ordinality as q (term, weight, no)
), hit as materialized (
  select p.memory_no, q.no, p.frequency, p.frequency * ($12::float8 + 1)
    / (p.frequency + $12::float8 * (1 - $13::float8 + $13::float8 * p.length / $20::float8)) as saturated
  from asked q cross join lateral (
    select p.memory_no, p.frequency, p.length from posting p where p.tenant_id = $1 and p.term = q.term and ${inScope} offset 0
  ) p
), found as (
  select no, count(*) as memories from hit group by no
), told as materialized (
  select q.no, q.weight * ln(1 + (greatest(c.n, coalesce(f.memories, 0)) - coalesce(f.memories, 0) + 0.5) / (coalesce(f.memories, 0) + 0.5)) as idf
  from asked q left join found f using (no) cross join corpus c
), idf as materialized (
  select array_agg(idf order by no) as of_term, sum(idf) as total from told
), lexical as (
  select memory_no, sum(saturated * (select of_term from idf)[no]) as bm25 from hit group by memory_no
), near as (
  select v.memory_no, v.distance
  from admitted a cross join lateral (
    select v.memory_no, v.embedding <#> $16::vector as distance
    from memory_vector v
    where v.tenant_id = $1 and v.model_no = (select model_no from embedding_model where active) and v.scope_no = a.scope_no
    offset 0
  ) v
  where $16::text is not null
), ${selective ? passing : cut}, candidate as materialized (
  select memory_no from best_lexical union select memory_no from best_vector union select unnest($19::bigint[])
), scored as materialized (
  select h.memory_no, sum(h.saturated * (select of_term from idf)[h.no]) as bm25,
    jsonb_agg(jsonb_build_object('term', (select array_agg(term order by no) from asked)[h.no], 'tf', h.frequency) order by h.no) as terms
  from hit h where (h.memory_no in (select memory_no from candidate)) is true
  group by h.memory_no
)
select m.memory_no, m.memory_id, m.kind, m.at, -(v.distance) as similarity,
  coalesce(s.bm25, 0)::float8 as bm25, coalesce((select total from idf) * ($12::float8 + 1), 0)::float8 as reachable, coalesce(s.terms, '[]') as terms, m.scope_no, m.occurred_at, m.length, m.position
from candidate c
cross join lateral (
  select m.memory_no, m.memory_id, m.kind, m.scope_no, m.occurred_at, m.length, m.position, coalesce(m.occurred_at, m.created_at) as at
  from memory m where m.tenant_id = $1 and m.memory_no = c.memory_no offset 0
) m
left join lateral (
  select v.embedding <#> $16::vector as distance
  from memory_vector v
  where v.tenant_id = $1 and v.model_no = (select model_no from embedding_model where active) and v.scope_no = m.scope_no and v.memory_no = m.memory_no
  offset 0
) v on true
left join scored s on s.memory_no = c.memory_no
where (m.scope_no in (select scope_no from admitted)) is true`,
    [
      ...filterValues(filters, now),
      terms.map(({ term }) => term),
      terms.map(({ weight }) => weight),
      bm25.k1,
      bm25.b,
      pool.text * 4,
      pool.text,
      vector ? vectorText(vector) : null,
      pool.vector * 4,
      pool.vector,
      query.include ?? [],
      bm25.length,
    ],
  );
  return rows.map(({ memory_no: memoryNo, memory_id: id, scope_no: timeline, occurred_at: occurredAt, length, position, ...row }) => ({
    memoryNo,
    id,
    ...row,
    place: occurredAt && position !== null ? { timeline, position, occurredAt, length: length ?? 0 } : undefined,
  }));
}

/** The best of each leg that also pass the filters; most do. */
const cut = `best_lexical as (
  select l.memory_no
  from (select memory_no, bm25 from lexical order by bm25 desc, memory_no limit $14::bigint) l
  cross join lateral (select from memory m where m.tenant_id = $1 and m.memory_no = l.memory_no and ${passesFilters('m', 4)} offset 0) m
  order by l.bm25 desc, l.memory_no
  limit $15::int
), best_vector as (
  select n.memory_no
  from (select memory_no, distance from near order by distance, memory_no limit $17::bigint) n
  cross join lateral (select from memory m where m.tenant_id = $1 and m.memory_no = n.memory_no and ${passesFilters('m', 4)} offset 0) m
  order by n.distance, n.memory_no
  limit $18::int
)`;

/** What passes filters that few may pass, and the best of each leg among it. */
const passing = `passing as materialized (
  select m.memory_no
  from admitted a cross join lateral (select m.memory_no from memory m where m.tenant_id = $1 and m.scope_no = a.scope_no and ${passesFilters('m', 4)} offset 0) m
), best_lexical as (
  select memory_no from lexical
  where (memory_no in (select memory_no from passing)) is true and $14::bigint is not null
  order by bm25 desc, memory_no
  limit $15::int
), best_vector as (
  select memory_no from near
  where (memory_no in (select memory_no from passing)) is true and $17::bigint is not null
  order by distance, memory_no
  limit $18::int
)`;
