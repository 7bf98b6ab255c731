import type { Stamp } from './draft.ts';
import type { Database } from './engine/database.ts';
import { unindex } from './indexing.ts';

/**
 * Takes memories that have expired out of the index, so that statistics and vectors hold what can be found. Readers leave expired memories out
 * by themselves; this is housekeeping.
 * @returns how many.
 */
export async function unindexExpired(database: Database, now: Date, termsOf: Stamp['termsOf'], limit: number): Promise<number> {
  const expired = await database.query<{ tenant_id: string; scope_no: number; memory_no: number; content: string | null; occurred_at: Date | null }>(
    `select tenant_id, scope_no, memory_no, content, occurred_at
from memory
where expires_at <= $1::timestamptz and length is not null
order by tenant_id, memory_no
limit $2::int`,
    [now, limit],
  );
  for (const row of expired) {
    await database.transaction((sql) =>
      unindex(sql, row.tenant_id, {
        scopeNo: row.scope_no,
        memoryNo: row.memory_no,
        terms: row.content === null ? [] : termsOf(row.content, row.occurred_at ?? undefined),
      }),
    );
  }
  return expired.length;
}
