import { requirePermission } from '../auth/grants.ts';
import { Failure } from '../failure.ts';
import type { Changes, Stamp } from './draft.ts';
import type { Database, Sql } from './engine/database.ts';
import { recordEvents } from './events.ts';
import { storeDistinct } from './remember.ts';
import { gone, lockTarget, type Target } from './target.ts';

export interface Revised {
  memoryNo: number;
  /** Id of the memory that the new content supersedes. */
  supersedes?: string;
}

export interface ReviseOptions {
  expectedRevision: number | undefined;
  reason: string | undefined;
}

/** Changes fields in place; new content is a new memory that supersedes the old one. */
export function revise(database: Database, stamp: Stamp, id: string, changes: Changes, options: ReviseOptions): Promise<Revised> {
  return database.transaction(async (sql) => {
    const target = await lockTarget(sql, stamp, id);
    refuseStale(target, stamp, options.expectedRevision);
    if (changes.kind === 'policy') requirePermission(stamp.caller, 'govern', target.scope_key);

    const next = {
      kind: changes.kind ?? target.kind,
      tags: changes.tags ?? target.tags,
      rule: changes.rule === undefined ? target.rule : changes.rule,
      expiresAt: changes.expiresAt === undefined ? target.expires_at : changes.expiresAt,
    };
    if (next.rule && next.kind !== 'policy' && next.kind !== 'lesson') {
      throw new Failure('validation', 'Only a policy or a lesson carries a rule. Clear the rule with null, or keep the kind.', { field: 'rule' });
    }
    if (changes.content && changes.content.id !== target.memory_id) return supersede(sql, stamp, target, { ...changes.content, ...next }, options.reason);

    const revision = target.revision + 1;
    await sql.query(
      'update memory set kind = $3, tags = $4::text[], rule = $5::jsonb, expires_at = $6::timestamptz, revision = $7, updated_at = $8, flags = $9::text[] where tenant_id = $1 and memory_no = $2',
      [
        stamp.caller.tenantId,
        target.memory_no,
        next.kind,
        next.tags,
        next.rule && JSON.stringify(next.rule),
        next.expiresAt,
        revision,
        stamp.now,
        changes.flags,
      ],
    );
    await recordEvents(sql, stamp, [{ memoryNo: target.memory_no, change: 'revised', revision, ...next, reason: options.reason }]);
    return { memoryNo: target.memory_no };
  });
}

function refuseStale(target: Target, stamp: Stamp, expectedRevision: number | undefined): void {
  if (target.forgotten_at || (target.expires_at && target.expires_at <= stamp.now)) {
    throw gone({
      id: target.memory_id,
      forgottenAt: target.forgotten_at,
      expiresAt: target.expires_at?.toISOString(),
      supersededBy: target.superseded_by ?? undefined,
    });
  }
  if (target.superseded_by !== null) {
    throw new Failure('conflict', `The memory ${target.memory_id} was superseded by ${target.superseded_by}. Revise that one.`, {
      field: 'id',
      details: { superseded_by: target.superseded_by, revision: target.revision },
    });
  }
  if (expectedRevision !== undefined && expectedRevision !== target.revision) {
    throw new Failure('conflict', `The memory ${target.memory_id} is at revision ${target.revision}, not ${expectedRevision}. Read it again before revising.`, {
      field: 'expected_revision',
      details: { revision: target.revision },
    });
  }
}

type NewMemory = NonNullable<Changes['content']> & Pick<Target, 'kind' | 'rule'> & { tags: readonly string[]; expiresAt: Date | null };

async function supersede(sql: Sql, stamp: Stamp, target: Target, { rule, expiresAt, ...next }: NewMemory, reason: string | undefined): Promise<Revised> {
  const draft = {
    ...next,
    scopeKey: target.scope_key,
    rule: rule ?? undefined,
    expiresAt: expiresAt ?? undefined,
    occurredAt: target.occurred_at ?? undefined,
  };
  const result = (await storeDistinct(sql, stamp, [draft], new Map([[target.scope_key, target.scope_no]]))).get(draft.id);
  if (!result) throw new Error(`no result for ${draft.id}`);
  if (!result.ok) throw result.failure;

  const { tenantId } = stamp.caller;
  const [row] = await sql.query<{ revision: number; restored: boolean }>(
    `update memory m set revision = greatest($3::int, m.revision) + 1, supersedes = array_append(array_remove(m.supersedes, $4), $4), superseded_by = null, superseded_at = null, updated_at = $5
from memory old
where m.tenant_id = $1 and m.memory_no = $2 and old.tenant_id = $1 and old.memory_no = $2
returning m.revision, old.superseded_by is not null as restored`,
    [tenantId, result.memoryNo, target.revision, target.memory_id, stamp.now],
  );
  if (!row) throw new Error(`memory ${draft.id} vanished`);
  await sql.query('update memory set superseded_by = $3, superseded_at = $4, updated_at = $4 where tenant_id = $1 and memory_no = $2', [
    tenantId,
    target.memory_no,
    draft.id,
    stamp.now,
  ]);
  const state = { kind: draft.kind, tags: draft.tags, rule, expiresAt, reason };
  await recordEvents(sql, stamp, [
    {
      memoryNo: target.memory_no,
      change: 'superseded',
      revision: target.revision,
      kind: target.kind,
      tags: target.tags,
      rule: target.rule,
      expiresAt: target.expires_at,
      reason,
    },
    { memoryNo: result.memoryNo, change: row.restored ? 'restored' : 'revised', revision: row.revision, ...state },
  ]);
  return { memoryNo: result.memoryNo, supersedes: target.memory_id };
}
