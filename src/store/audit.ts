import type { Sql } from './engine/database.ts';

/** Who did what, with which outcome. Ids only, never text. */
export interface AuditEntry {
  tenantId: string;
  at: Date;
  requestId: string;
  principalId: string | undefined;
  /** A verb's name, or `token.issue` and the like. */
  event: string;
  /** `ok`, `partial` or a failure code. */
  outcome: string;
  subjects: readonly string[];
}

export async function appendAudit(sql: Sql, entry: AuditEntry): Promise<void> {
  await sql.query('insert into audit (tenant_id, at, request_id, principal_id, event, outcome, subjects) values ($1, $2, $3, $4, $5, $6, $7::text[])', [
    entry.tenantId,
    entry.at,
    entry.requestId,
    entry.principalId ?? null,
    entry.event,
    entry.outcome,
    entry.subjects,
  ]);
}
