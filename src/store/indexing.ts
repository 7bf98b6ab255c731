import type { Sql } from './engine/database.ts';
import { vectorText } from './filters.ts';

/** What search reads of a memory. */
export interface Indexed {
  memoryNo: number;
  scopeNo: number;
  terms: ReadonlyMap<string, number>;
  length: number;
  vector: Float32Array | undefined;
}

/** Makes memories searchable. They have no postings yet, and their rows hold their length, which says that they do from now on. */
export async function index(sql: Sql, tenantId: string, memories: readonly Indexed[]): Promise<void> {
  if (memories.length === 0) return;
  const postings = memories.flatMap((memory) => [...memory.terms].map(([term, frequency]) => ({ term, frequency, memory })));
  await sql.query(
    `insert into posting (tenant_id, term, scope_no, memory_no, frequency, length)
select $1, p.* from unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::int[]) as p
on conflict do nothing`,
    [
      tenantId,
      postings.map(({ term }) => term),
      postings.map(({ memory }) => memory.scopeNo),
      postings.map(({ memory }) => memory.memoryNo),
      postings.map(({ frequency }) => frequency),
      postings.map(({ memory }) => memory.length),
    ],
  );
  await storeVectors(
    sql,
    tenantId,
    memories.flatMap(({ memoryNo, scopeNo, vector }) => (vector ? [{ memoryNo, scopeNo, vector }] : [])),
  );
  // Last, and in one order: the scope's row is what parallel writers contend for.
  await sql.query(
    `with added as (
  select l.memory_no, l.scope_no, row_number() over (partition by l.scope_no order by l.no) as nth
  from unnest($2::bigint[], $3::bigint[]) with ordinality as l (memory_no, scope_no, no)
), counted as (
  update scope s set memories = s.memories + g.n, written = s.written + g.n
  from (select scope_no, count(*) as n from added group by scope_no order by scope_no) g
  where s.tenant_id = $1 and s.scope_no = g.scope_no
  returning s.scope_no, s.written - g.n as before
)
update memory m set position = c.before + a.nth
from added a join counted c using (scope_no)
where m.tenant_id = $1 and m.memory_no = a.memory_no`,
    [tenantId, memories.map(({ memoryNo }) => memoryNo), memories.map(({ scopeNo }) => scopeNo)],
  );
}

/** Keeps vectors of a model; of the active one unless told. A memory that was forgotten meanwhile gets none. */
export async function storeVectors(
  sql: Sql,
  tenantId: string,
  vectors: readonly { memoryNo: number; scopeNo: number; vector: Float32Array }[],
  modelNo?: number,
): Promise<void> {
  if (vectors.length === 0) return;
  await sql.query(
    `insert into memory_vector (tenant_id, model_no, scope_no, memory_no, embedding)
select $1, e.model_no, v.scope_no, v.memory_no, v.embedding::vector
from unnest($2::bigint[], $3::bigint[], $4::text[]) as v (scope_no, memory_no, embedding)
join embedding_model e on case when $5::int is null then e.active else e.model_no = $5::int end
join memory m on m.tenant_id = $1 and m.memory_no = v.memory_no and m.length is not null
on conflict do nothing`,
    [
      tenantId,
      vectors.map(({ scopeNo }) => scopeNo),
      vectors.map(({ memoryNo }) => memoryNo),
      vectors.map(({ vector }) => vectorText(vector)),
      modelNo ?? null,
    ],
  );
}

/** Takes a memory out of search. `terms` are those it was indexed under: the postings' key starts with the term, so each is one look-up. */
export async function unindex(sql: Sql, tenantId: string, memory: { scopeNo: number; memoryNo: number; terms: Iterable<string> }): Promise<void> {
  const { scopeNo, memoryNo } = memory;
  await sql.query('delete from posting where tenant_id = $1 and term = any ($2::text[]) and scope_no = $3 and memory_no = $4', [
    tenantId,
    [...memory.terms],
    scopeNo,
    memoryNo,
  ]);
  await sql.query(
    'delete from memory_vector where tenant_id = $1 and model_no in (select model_no from embedding_model) and scope_no = $2 and memory_no = $3',
    [tenantId, scopeNo, memoryNo],
  );
  const held = await sql.query('update memory set length = null where tenant_id = $1 and memory_no = $2 and length is not null returning memory_no', [
    tenantId,
    memoryNo,
  ]);
  if (held.length > 0) await sql.query('update scope set memories = memories - 1 where tenant_id = $1 and scope_no = $2', [tenantId, scopeNo]);
}
