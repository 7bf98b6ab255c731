import type { Stamp } from './draft.ts';
import type { Database } from './engine/database.ts';
import { recordEvents } from './events.ts';
import { unindex } from './indexing.ts';
import { lockTarget } from './target.ts';

export interface Forgotten {
  forgottenAt: Date;
  erased: boolean;
}

/**
 * Leaves a tombstone: out of every search, `gone` to get and revise. Erasing also destroys the content, its source, tags, rule and the
 * text of its history; what remains is that something was there, who wrote it and when.
 */
export function forget(database: Database, stamp: Stamp, id: string, options: { reason: string | undefined; erase: boolean }): Promise<Forgotten> {
  return database.transaction(async (sql) => {
    const target = await lockTarget(sql, stamp, id);
    const { tenantId } = stamp.caller;
    const forgottenAt = target.forgotten_at ?? stamp.now;
    const erasing = options.erase && !target.erased;

    if (!target.forgotten_at) {
      await unindex(sql, tenantId, {
        scopeNo: target.scope_no,
        memoryNo: target.memory_no,
        terms: target.content === null ? [] : stamp.termsOf(target.content, target.occurred_at ?? undefined),
      });
      await sql.query('update memory set forgotten_at = $3, revision = revision + 1, updated_at = $3 where tenant_id = $1 and memory_no = $2', [
        tenantId,
        target.memory_no,
        stamp.now,
      ]);
    }
    if (erasing) {
      await sql.query(
        `update memory set content = null, tags = '{}', rule = null, source = null, flags = '{}', erased = true where tenant_id = $1 and memory_no = $2`,
        [tenantId, target.memory_no],
      );
      await sql.query(`update memory_event set reason = null, tags = '{}', rule = null where tenant_id = $1 and memory_no = $2`, [tenantId, target.memory_no]);
      await sql.query('update corroboration set source = null where tenant_id = $1 and memory_no = $2', [tenantId, target.memory_no]);
    }
    if (erasing || !target.forgotten_at) {
      await recordEvents(sql, stamp, [
        {
          memoryNo: target.memory_no,
          change: erasing ? 'erased' : 'forgotten',
          revision: target.forgotten_at ? target.revision : target.revision + 1,
          kind: target.kind,
          tags: erasing ? [] : target.tags,
          rule: erasing ? null : target.rule,
          expiresAt: target.expires_at,
          reason: options.reason,
        },
      ]);
    }
    return { forgottenAt, erased: target.erased || options.erase };
  });
}
