import type { Caller, Permission } from '../auth/caller.ts';
import type { Kind, Memory, Rule } from '../memory/memory.ts';
import { type AdmittedQuery, admittedQuery } from './admission.ts';
import type { Sql } from './engine/database.ts';
import { type Filters, filterValues, inForce, passesFilters, vectorText } from './filters.ts';
import { type MemoryRow, memoryColumns, memoryJoins, type StoredMemory, toStoredMemory } from './rows.ts';
import { type Candidate, type CandidateQuery, findCandidates } from './search.ts';

/** One line of a memory's past. */
export interface HistoryEntry {
  memory_id: string;
  revision: number;
  change: string;
  at: string;
  principal: { id: string; name: string; type: 'person' | 'machine' };
  kind: Kind;
  tags: string[];
  reason?: string;
}

export interface Similar {
  id: string;
  kind: Kind;
  scope_key: string | null;
  similarity: number;
  excerpt: string;
}

export interface RuleRow {
  memoryNo: number;
  rule: Rule;
}

/** Memories as one caller may see them. There is no other way to a memory's text. */
export interface Reader {
  /** In whatever state; undefined when it does not exist for the caller. */
  find(id: string): Promise<StoredMemory | undefined>;
  load(memoryNos: readonly number[]): Promise<Map<number, Memory>>;
  /** Oldest first, predecessors included. */
  history(id: string): Promise<HistoryEntry[]>;
  /** Newest first; `after` is the id of the memory that the page before ended with. */
  newest(filters: Filters, after: string | undefined, limit: number): Promise<Memory[]>;
  candidates(query: CandidateQuery & { filters: Filters }): Promise<Candidate[]>;
  /** Live memories nearest to a vector, most similar first. */
  similar(query: { vector: Float32Array; scopeKeys: readonly (string | null)[]; above: number; except: string; limit: number }): Promise<Similar[]>;
  /** Every live rule: what preflight holds against an action for certain. */
  rules(scopeKeys: readonly (string | null)[]): Promise<RuleRow[]>;
}

/** Bound to one caller, one permission and one moment. */
export function createReader(sql: Sql, caller: Caller, now: Date, permission: Permission = 'read'): Reader {
  const admitted = admittedQuery(sql, caller, permission);

  async function rows(text: string, values: readonly (string | number | readonly number[])[]): Promise<StoredMemory[]> {
    const found = await admitted<MemoryRow>(
      null,
      `select ${memoryColumns}
from memory m join admitted using (scope_no) ${memoryJoins}
where m.tenant_id = $1 and ${text}`,
      values,
    );
    return found.map((row) => toStoredMemory(row, now));
  }

  return {
    async find(id) {
      return (await rows('m.memory_id = $4', [id]))[0];
    },
    async load(memoryNos) {
      const found = await rows('m.memory_no = any ($4::bigint[])', [memoryNos]);
      return new Map(found.map(({ memory, memoryNo }) => [memoryNo, memory]));
    },
    history: (id) => readHistory(admitted, id),
    newest: (filters, after, limit) => readNewest(admitted, filters, after, limit, now),
    candidates: (query) => findCandidates(admitted, query, now),
    similar: (query) => readSimilar(admitted, query, now),
    async rules(scopeKeys) {
      const found = await admitted<{ memory_no: number; rule: Rule }>(
        scopeKeys,
        `select m.memory_no, m.rule
from memory m join admitted using (scope_no)
where m.tenant_id = $1 and m.rule is not null and ${inForce('m', '$4::timestamptz')}
order by m.memory_no`,
        [now],
      );
      return found.map(({ memory_no: memoryNo, rule }) => ({ memoryNo, rule }));
    },
  };
}

async function readHistory(admitted: AdmittedQuery, id: string): Promise<HistoryEntry[]> {
  // `union` (not `union all`) ends the walk where two memories have superseded each other in turn.
  const rows = await admitted<
    Omit<HistoryEntry, 'at' | 'principal' | 'reason'> & { at: Date; reason: string | null } & Record<'principal_id' | 'name', string> & {
        type: 'person' | 'machine';
      }
  >(
    null,
    `, lineage as (
  select m.memory_no, m.memory_id from memory m join admitted using (scope_no) where m.tenant_id = $1 and m.memory_id = any (
    with recursive line as (
      select $4::text as memory_id
      union
      select unnest(p.supersedes) from line join memory p on p.tenant_id = $1 and p.memory_id = line.memory_id
    )
    select memory_id from line
  )
)
select l.memory_id, e.revision, e.change, e.at, w.principal_id, w.name, w.type, e.kind, e.tags, e.reason
from lineage l
join memory_event e on e.tenant_id = $1 and e.memory_no = l.memory_no
join principal w on w.tenant_id = $1 and w.principal_id = e.principal_id
order by e.event_no`,
    [id],
  );
  return rows.map((row) => ({
    memory_id: row.memory_id,
    revision: row.revision,
    change: row.change,
    at: row.at.toISOString(),
    principal: { id: row.principal_id, name: row.name, type: row.type },
    kind: row.kind,
    tags: row.tags,
    ...(row.reason !== null && { reason: row.reason }),
  }));
}

async function readNewest(admitted: AdmittedQuery, filters: Filters, after: string | undefined, limit: number, now: Date): Promise<Memory[]> {
  const rows = await admitted<MemoryRow>(
    filters.scopeKeys,
    `select ${memoryColumns}
from memory m join admitted using (scope_no) ${memoryJoins}
where m.tenant_id = $1 and ${passesFilters('m', 4)}
  and ($10::text is null or (m.created_at, m.memory_no) < (
    select p.created_at, p.memory_no from memory p join admitted using (scope_no) where p.tenant_id = $1 and p.memory_id = $10
  ))
order by m.created_at desc, m.memory_no desc
limit $11::int`,
    [...filterValues(filters, now), after ?? null, limit],
  );
  return rows.map((row) => toStoredMemory(row, now).memory);
}

async function readSimilar(admitted: AdmittedQuery, query: Parameters<Reader['similar']>[0], now: Date): Promise<Similar[]> {
  const rows = await admitted<{ memory_id: string; kind: Kind; scope_key: string; similarity: number; excerpt: string }>(
    query.scopeKeys,
    `, near as (
  select v.memory_no, -(v.embedding <#> $4::vector) as similarity
  from memory_vector v join admitted using (scope_no) join embedding_model e on e.model_no = v.model_no and e.active
  where v.tenant_id = $1 and -(v.embedding <#> $4::vector) > $5::float8
)
select m.memory_id, m.kind, a.scope_key, n.similarity, left(m.content, 200) as excerpt
from near n join memory m on m.tenant_id = $1 and m.memory_no = n.memory_no join admitted a using (scope_no)
where m.memory_id <> $6 and ${inForce('m', '$7::timestamptz')}
order by n.similarity desc, m.memory_no
limit $8::int`,
    [vectorText(query.vector), query.above, query.except, now, query.limit],
  );
  return rows.map(({ memory_id: id, kind, scope_key, similarity, excerpt }) => ({ id, kind, scope_key: scope_key || null, similarity, excerpt }));
}
