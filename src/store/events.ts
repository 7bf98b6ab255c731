import type { Kind, Rule } from '../memory/memory.ts';
import type { Stamp } from './draft.ts';
import type { Sql } from './engine/database.ts';

export type Change = 'remembered' | 'revised' | 'superseded' | 'restored' | 'forgotten' | 'erased' | 'revived';

/** State of a memory after a change. */
export interface Event {
  memoryNo: number;
  change: Change;
  revision: number;
  kind: Kind;
  tags: readonly string[];
  rule: Rule | null;
  expiresAt: Date | null;
  reason?: string | undefined;
}

/** Writes the history. */
export async function recordEvents(sql: Sql, stamp: Stamp, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  await sql.query(
    `insert into memory_event (tenant_id, memory_no, at, principal_id, change, revision, kind, tags, rule, expires_at, reason, request_id)
select $1, e.memory_no, $2::timestamptz, $3, e.change, e.revision, e.kind, array(select jsonb_array_elements_text(e.tags)), e.rule, e.expires_at, e.reason, $4
from jsonb_to_recordset($5::jsonb) as e (memory_no bigint, change text, revision int, kind text, tags jsonb, rule jsonb, expires_at timestamptz, reason text)`,
    [
      stamp.caller.tenantId,
      stamp.now,
      stamp.caller.principalId,
      stamp.requestId,
      JSON.stringify(
        events.map((event) => ({
          memory_no: event.memoryNo,
          change: event.change,
          revision: event.revision,
          kind: event.kind,
          tags: event.tags,
          rule: event.rule,
          expires_at: event.expiresAt,
          reason: event.reason,
        })),
      ),
    ],
  );
}
