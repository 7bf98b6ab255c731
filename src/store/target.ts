import { requirePermission } from '../auth/grants.ts';
import { Failure } from '../failure.ts';
import type { Kind, Rule } from '../memory/memory.ts';
import { admittedQuery } from './admission.ts';
import type { Stamp } from './draft.ts';
import type { Sql } from './engine/database.ts';

/** A memory that a write is about, locked until the transaction ends. */
export interface Target {
  memory_no: number;
  memory_id: string;
  scope_no: number;
  scope_key: string | null;
  content: string | null;
  kind: Kind;
  tags: string[];
  rule: Rule | null;
  revision: number;
  occurred_at: Date | null;
  expires_at: Date | null;
  superseded_by: string | null;
  forgotten_at: Date | null;
  erased: boolean;
}

/** @throws Failure `not_found` when the caller may not see it, `forbidden` when the caller may see but not change it. */
export async function lockTarget(sql: Sql, stamp: Stamp, id: string): Promise<Target> {
  const [row] = await admittedQuery(sql, stamp.caller, 'read')<Target>(
    null,
    `select m.memory_no, m.memory_id, m.scope_no, nullif(a.scope_key, '') as scope_key, m.content, m.kind, m.tags, m.rule, m.revision, m.occurred_at, m.expires_at,
  m.superseded_by, m.forgotten_at, m.erased
from memory m join admitted a using (scope_no)
where m.tenant_id = $1 and m.memory_id = $4
for update of m`,
    [id],
  );
  if (!row) throw notFound(id);
  requirePermission(stamp.caller, 'write', row.scope_key);
  if (row.kind === 'policy') requirePermission(stamp.caller, 'govern', row.scope_key);
  return row;
}

export function notFound(id: string): Failure {
  return new Failure('not_found', `There is no memory ${id} that this credential may see.`, { field: 'id' });
}

export function gone(memory: { id: string; forgottenAt: Date | null; expiresAt?: string | undefined; supersededBy?: string | undefined }): Failure {
  return new Failure(
    'gone',
    `The memory ${memory.id} was ${memory.forgottenAt ? 'forgotten' : 'kept only until it expired'}. Remember its content again to bring it back.`,
    {
      field: 'id',
      details: {
        ...(memory.forgottenAt && { forgotten_at: memory.forgottenAt.toISOString() }),
        ...(memory.expiresAt !== undefined && { expires_at: memory.expiresAt }),
        ...(memory.supersededBy !== undefined && { superseded_by: memory.supersededBy }),
      },
    },
  );
}
