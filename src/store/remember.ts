import { requirePermission } from '../auth/grants.ts';
import { Failure } from '../failure.ts';
import type { Kind, Rule } from '../memory/memory.ts';
import { withEnclosing } from '../memory/scope.ts';
import type { Draft, Stamp } from './draft.ts';
import type { Database, Sql } from './engine/database.ts';
import { recordEvents } from './events.ts';
import { index, unindex } from './indexing.ts';

/** How storing one draft ended. */
export type Remembered = { ok: true; memoryNo: number; created: boolean } | { ok: false; failure: Failure };

interface ExistingRow {
  memory_no: number;
  memory_id: string;
  scope_no: number;
  kind: Kind;
  rule: Rule | null;
  revision: number;
  principal_id: string;
  content: string | null;
  occurred_at: Date | null;
  gone: boolean;
}

/**
 * Stores drafts in one transaction. The unique key on the memory's id decides between parallel writers: one inserts, the others find
 * what it wrote. Rows are inserted in the order given, since neighbours lend each other context; should two batches wait for each other
 * in a circle, the transaction is repeated.
 */
export async function remember(database: Database, stamp: Stamp, drafts: readonly Draft[]): Promise<Remembered[]> {
  const refused = drafts.map((draft) => refusal(stamp, draft));
  const wanted = new Map(drafts.filter((_, at) => !refused[at]).map((draft) => [draft.id, draft]));
  const scopes = await ensureScopes(database, stamp.caller.tenantId, [...new Set([...wanted.values()].map(({ scopeKey }) => scopeKey))]);
  const stored = await database.transaction((sql) => storeDistinct(sql, stamp, [...wanted.values()], scopes));

  const seen = new Set<string>();
  return drafts.map((draft, at) => {
    const failure = refused[at];
    if (failure) return { ok: false, failure };
    const result = stored.get(draft.id);
    if (!result) throw new Error(`no result for ${draft.id}`);
    if (!result.ok || !seen.has(draft.id)) {
      seen.add(draft.id);
      return result;
    }
    return { ...result, created: false };
  });
}

function refusal(stamp: Stamp, draft: Draft): Failure | undefined {
  try {
    requirePermission(stamp.caller, 'write', draft.scopeKey);
    if (draft.kind === 'policy') requirePermission(stamp.caller, 'govern', draft.scopeKey);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Makes the scopes that are missing. @returns scope_no by scope key. */
async function ensureScopes(sql: Sql, tenantId: string, keys: readonly (string | null)[]): Promise<Map<string | null, number>> {
  const read = () =>
    sql.query<{ scope_key: string; scope_no: number }>('select scope_key, scope_no from scope where tenant_id = $1 and scope_key = any ($2::text[])', [
      tenantId,
      keys.map((key) => key ?? ''),
    ]);
  let rows = await read();
  const missing = keys.filter((key) => !rows.some((row) => row.scope_key === (key ?? '')));
  for (const key of missing) {
    await sql.query('insert into scope (tenant_id, scope_key, chain) values ($1, $2, $3::text[]) on conflict do nothing', [
      tenantId,
      key ?? '',
      withEnclosing(key),
    ]);
  }
  if (missing.length > 0) rows = await read();
  return new Map(rows.map((row) => [row.scope_key || null, row.scope_no]));
}

export async function storeDistinct(
  sql: Sql,
  stamp: Stamp,
  drafts: readonly Draft[],
  scopes: ReadonlyMap<string | null, number>,
): Promise<Map<string, Remembered>> {
  const results = new Map<string, Remembered>();
  if (drafts.length === 0) return results;
  const scopeNo = (draft: Draft) => scopes.get(draft.scopeKey) as number;

  const inserted = new Map((await insertRows(sql, stamp, drafts, scopeNo)).map((row) => [row.memory_id, row.memory_no]));
  for (const [id, memoryNo] of inserted) results.set(id, { ok: true, memoryNo, created: true });

  const known = drafts.filter(({ id }) => !inserted.has(id));
  const existing = new Map((known.length === 0 ? [] : await lockRows(sql, stamp, known)).map((row) => [row.memory_id, row]));
  const revived: { draft: Draft; memoryNo: number; revision: number }[] = [];
  for (const draft of known) {
    const row = existing.get(draft.id);
    if (!row) throw new Error(`memory ${draft.id} vanished`);
    const failure = row.gone ? reviveRefusal(stamp, row, draft) : contradiction(row, draft);
    if (failure) {
      results.set(draft.id, { ok: false, failure });
      continue;
    }
    results.set(draft.id, { ok: true, memoryNo: row.memory_no, created: false });
    if (row.gone) revived.push({ draft, memoryNo: row.memory_no, revision: await revive(sql, stamp, row, draft) });
    if (row.principal_id !== stamp.caller.principalId) await corroborate(sql, stamp, row.memory_no, draft);
  }

  const fresh = drafts.flatMap((draft) => {
    const memoryNo = inserted.get(draft.id);
    return memoryNo === undefined ? [] : [{ draft, memoryNo, revision: 1 }];
  });
  await recordEvents(sql, stamp, [
    ...fresh.map(({ draft, ...rest }) => ({ ...rest, ...stateOf(draft), change: 'remembered' as const })),
    ...revived.map(({ draft, ...rest }) => ({ ...rest, ...stateOf(draft), change: 'revived' as const })),
  ]);
  await index(
    sql,
    stamp.caller.tenantId,
    [...fresh, ...revived].map(({ draft, memoryNo }) => ({
      memoryNo,
      scopeNo: scopeNo(draft),
      terms: draft.terms,
      length: draft.length,
      vector: draft.vector,
    })),
  );
  return results;
}

function stateOf(draft: Draft) {
  return { kind: draft.kind, tags: draft.tags, rule: draft.rule ?? null, expiresAt: draft.expiresAt ?? null };
}

function insertRows(sql: Sql, stamp: Stamp, drafts: readonly Draft[], scopeNo: (draft: Draft) => number) {
  return sql.query<{ memory_id: string; memory_no: number }>(
    `insert into memory (tenant_id, memory_id, scope_no, content, kind, tags, rule, principal_id, source, check_id, flags, length, created_at, updated_at, occurred_at, expires_at)
select $1, d.memory_id, d.scope_no, d.content, d.kind, array(select jsonb_array_elements_text(d.tags)), d.rule, $2, d.source, d.check_id,
  array(select jsonb_array_elements_text(d.flags)), d.length, $3::timestamptz, $3::timestamptz, d.occurred_at, d.expires_at
from jsonb_to_recordset($4::jsonb) as d (
  memory_id text, scope_no bigint, content text, kind text, tags jsonb, rule jsonb, source jsonb, check_id text, flags jsonb, length int, occurred_at timestamptz, expires_at timestamptz
)
on conflict (tenant_id, memory_id) do nothing
returning memory_id, memory_no`,
    [
      stamp.caller.tenantId,
      stamp.caller.principalId,
      stamp.now,
      JSON.stringify(
        drafts.map((draft) => ({
          memory_id: draft.id,
          scope_no: scopeNo(draft),
          content: draft.content,
          kind: draft.kind,
          tags: draft.tags,
          rule: draft.rule,
          source: draft.source,
          check_id: draft.checkId,
          flags: draft.flags,
          length: draft.length,
          occurred_at: draft.occurredAt,
          expires_at: draft.expiresAt,
        })),
      ),
    ],
  );
}

function lockRows(sql: Sql, stamp: Stamp, drafts: readonly Draft[]) {
  return sql.query<ExistingRow>(
    `select memory_no, memory_id, scope_no, kind, rule, revision, principal_id, content, occurred_at,
  (forgotten_at is not null or coalesce(expires_at <= $3::timestamptz, false)) as gone
from memory
where tenant_id = $1 and memory_id = any ($2::text[])
order by memory_id
for update`,
    [stamp.caller.tenantId, drafts.map(({ id }) => id), stamp.now],
  );
}

/** Content decides identity; what governs must not change by being said again. */
function contradiction(row: ExistingRow, draft: Draft): Failure | undefined {
  if (row.kind !== draft.kind) {
    return new Failure('conflict', `This content is already remembered here as kind \`${row.kind}\`. Use memory.revise to change the kind.`, {
      field: 'kind',
      details: { id: row.memory_id, kind: row.kind, revision: row.revision },
    });
  }
  if (draft.rule && canonical(draft.rule) !== canonical(row.rule)) {
    return new Failure('conflict', 'This content is already remembered here with another rule. Use memory.revise to change the rule.', {
      field: 'rule',
      details: { id: row.memory_id, revision: row.revision },
    });
  }
  return undefined;
}

/** jsonb does not keep the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A forgotten policy comes back only at the word of someone who governs. */
function reviveRefusal(stamp: Stamp, row: ExistingRow, draft: Draft): Failure | undefined {
  return row.kind === 'policy' ? refusal(stamp, { ...draft, kind: 'policy' }) : undefined;
}

async function revive(sql: Sql, stamp: Stamp, row: ExistingRow, draft: Draft): Promise<number> {
  const revision = row.revision + 1;
  // An expired memory still has its postings; a forgotten one has none.
  await unindex(sql, stamp.caller.tenantId, {
    scopeNo: row.scope_no,
    memoryNo: row.memory_no,
    terms: row.content === null ? [] : stamp.termsOf(row.content, row.occurred_at ?? undefined),
  });
  await sql.query(
    `update memory set content = $3, kind = $4, tags = $5::text[], rule = $6::jsonb, flags = $7::text[], revision = $8, updated_at = $9,
  occurred_at = $10::timestamptz, expires_at = $11::timestamptz, source = coalesce($12::jsonb, source), forgotten_at = null, erased = false,
  superseded_by = null, superseded_at = null, length = $13
where tenant_id = $1 and memory_no = $2`,
    [
      stamp.caller.tenantId,
      row.memory_no,
      draft.content,
      draft.kind,
      draft.tags,
      draft.rule ? JSON.stringify(draft.rule) : null,
      draft.flags,
      revision,
      stamp.now,
      draft.occurredAt ?? null,
      draft.expiresAt ?? null,
      draft.source ? JSON.stringify(draft.source) : null,
      draft.length,
    ],
  );
  return revision;
}

async function corroborate(sql: Sql, stamp: Stamp, memoryNo: number, draft: Draft): Promise<void> {
  await sql.query('insert into corroboration (tenant_id, memory_no, principal_id, at, source) values ($1, $2, $3, $4, $5::jsonb) on conflict do nothing', [
    stamp.caller.tenantId,
    memoryNo,
    stamp.caller.principalId,
    stamp.now,
    draft.source ? JSON.stringify(draft.source) : null,
  ]);
}
