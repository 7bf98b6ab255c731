import type { Kind, Memory, PrincipalRef, Rule, Source, Status } from '../memory/memory.ts';

/** How a memory's row becomes what callers see. `m` is the memory, `s` its scope, `w` its author. */
export const memoryColumns = `
  m.memory_no, m.memory_id, m.content, m.kind, s.scope_key, m.tags, m.rule, m.revision, m.source, m.check_id, m.flags,
  m.created_at, m.occurred_at, m.expires_at, m.superseded_by, m.supersedes, m.forgotten_at, m.erased,
  w.principal_id, w.name as principal_name, w.type as principal_type,
  exists (
    select from memory_vector v join embedding_model e on e.model_no = v.model_no and e.active
    where v.tenant_id = m.tenant_id and v.scope_no = m.scope_no and v.memory_no = m.memory_no
  ) as embedded,
  (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.principal_id, 'name', cw.name, 'type', cw.type, 'at', c.at, 'source', c.source) order by c.at, c.principal_id), '[]')
    from corroboration c join principal cw on cw.tenant_id = c.tenant_id and cw.principal_id = c.principal_id
    where c.tenant_id = m.tenant_id and c.memory_no = m.memory_no
  ) as corroborations`;

export const memoryJoins = `
  join scope s on s.tenant_id = m.tenant_id and s.scope_no = m.scope_no
  join principal w on w.tenant_id = m.tenant_id and w.principal_id = m.principal_id`;

export interface MemoryRow {
  memory_no: number;
  memory_id: string;
  content: string | null;
  kind: Kind;
  scope_key: string;
  tags: string[];
  rule: Rule | null;
  revision: number;
  source: Source | null;
  check_id: string | null;
  flags: string[];
  created_at: Date;
  occurred_at: Date | null;
  expires_at: Date | null;
  superseded_by: string | null;
  supersedes: string[];
  forgotten_at: Date | null;
  erased: boolean;
  principal_id: string;
  principal_name: string;
  principal_type: PrincipalRef['type'];
  embedded: boolean;
  corroborations: (PrincipalRef & { at: string; source: Source | null })[];
}

/** A memory together with what the store knows and callers do not see. */
export interface StoredMemory {
  memory: Memory;
  memoryNo: number;
  forgottenAt: Date | null;
}

export function toStoredMemory(row: MemoryRow, now: Date): StoredMemory {
  return { memory: toMemory(row, now), memoryNo: row.memory_no, forgottenAt: row.forgotten_at };
}

function toMemory(row: MemoryRow, now: Date): Memory {
  return {
    id: row.memory_id,
    content: row.content ?? '',
    kind: row.kind,
    scope_key: row.scope_key === '' ? null : row.scope_key,
    tags: row.tags,
    ...(row.rule && { rule: row.rule }),
    status: statusOf(row, now),
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    ...(row.occurred_at && { occurred_at: row.occurred_at.toISOString() }),
    ...(row.expires_at && { expires_at: row.expires_at.toISOString() }),
    ...(row.superseded_by !== null && { superseded_by: row.superseded_by }),
    embedding: row.embedded ? 'ready' : 'pending',
    // A policy gives orders, and whoever wrote it may.
    flags: row.kind === 'policy' ? [] : row.flags,
    provenance: {
      principal: { id: row.principal_id, name: row.principal_name, type: row.principal_type },
      at: row.created_at.toISOString(),
      revision: row.revision,
      ...(row.source && { source: row.source }),
      corroborations: row.corroborations.map(({ at, source, ...principal }) => ({
        principal,
        at: new Date(at).toISOString(),
        ...(source && { source }),
      })),
      ...(row.supersedes.length > 0 && { supersedes: row.supersedes }),
      ...(row.check_id !== null && { check_id: row.check_id }),
    },
  };
}

/** Forgotten outweighs expired, which outweighs superseded. */
export function statusOf(row: Pick<MemoryRow, 'forgotten_at' | 'expires_at' | 'superseded_by'>, now: Date): Status {
  if (row.forgotten_at) return 'forgotten';
  if (row.expires_at && row.expires_at <= now) return 'expired';
  return row.superseded_by === null ? 'live' : 'superseded';
}
