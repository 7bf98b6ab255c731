import type { Caller } from '../auth/caller.ts';
import type { Effect } from '../memory/memory.ts';
import type { Database, Sql } from './engine/database.ts';

export type Decision = 'approved' | 'rejected';
export type ActionOutcome = 'succeeded' | 'failed' | 'reverted' | 'abandoned';

export interface NewCheck {
  checkId: string;
  scopeKey: string | null;
  actionType: string;
  fingerprint: string;
  verdict: Effect;
  cited: readonly string[];
}

export interface Check extends NewCheck {
  decision: Decision | null;
  decisionExpiresAt: Date | null;
  outcome: ActionOutcome | null;
  lessonId: string | null;
}

/** What earlier checks of the same fingerprint say. */
export interface Precedents {
  /** The newest decision that has not expired. */
  decision?: { decision: Decision; checkId: string; at: Date; expiresAt: Date; principal: { id: string; name: string; type: 'person' | 'machine' } };
  /** The newest outcome, unless abandoned. */
  outcome?: { outcome: ActionOutcome; checkId: string; at: Date };
}

export interface Report {
  decision?: { decision: Decision; expiresAt: Date } | undefined;
  outcome?: ActionOutcome | undefined;
  note?: string | undefined;
  useful?: readonly string[] | undefined;
  lessonId?: string | undefined;
}

/** Checks as one caller may see them: those of the scopes the caller may read. */
export interface Checks {
  record(check: NewCheck): Promise<void>;
  precedents(fingerprint: string): Promise<Precedents>;
  /** Locks the check, lets `judge` decide on the report, and stores it. */
  report(checkId: string, judge: (check: Check) => Report | Promise<Report>): Promise<Check | undefined>;
  find(checkId: string): Promise<Check | undefined>;
}

interface CheckRow {
  check_id: string;
  scope_key: string;
  action_type: string;
  fingerprint: string;
  verdict: Effect;
  cited: string[];
  decision: Decision | null;
  decision_expires_at: Date | null;
  outcome: ActionOutcome | null;
  lesson_id: string | null;
}

const columns = 'k.check_id, k.scope_key, k.action_type, k.fingerprint, k.verdict, k.cited, k.decision, k.decision_expires_at, k.outcome, k.lesson_id';

export function createChecks(database: Database, caller: Caller, now: Date): Checks {
  const { tenantId, principalId } = caller;

  async function read(sql: Sql, checkId: string, lock: '' | 'for update of k'): Promise<Check | undefined> {
    const [row] = await sql.query<CheckRow>(`select ${columns} from preflight_check k where k.tenant_id = $1 and k.check_id = $2 ${lock}`, [tenantId, checkId]);
    return row && toCheck(row);
  }

  return {
    async record(check) {
      await database.query(
        `insert into preflight_check (tenant_id, check_id, principal_id, scope_key, action_type, fingerprint, verdict, cited, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $9)`,
        [tenantId, check.checkId, principalId, check.scopeKey ?? '', check.actionType, check.fingerprint, check.verdict, check.cited, now],
      );
    },
    async precedents(fingerprint) {
      const [decided] = await database.query<{
        decision: Decision;
        check_id: string;
        decided_at: Date;
        decision_expires_at: Date;
        principal_id: string;
        name: string;
        type: 'person' | 'machine';
      }>(
        `select k.decision, k.check_id, k.decided_at, k.decision_expires_at, w.principal_id, w.name, w.type
from preflight_check k join principal w on w.tenant_id = $1 and w.principal_id = k.decided_by
where k.tenant_id = $1 and k.fingerprint = $2 and k.decision is not null
order by k.decided_at desc
limit 1`,
        [tenantId, fingerprint],
      );
      const [ended] = await database.query<{ outcome: ActionOutcome; check_id: string; outcome_at: Date }>(
        `select outcome, check_id, outcome_at
from preflight_check
where tenant_id = $1 and fingerprint = $2 and outcome is not null and outcome <> 'abandoned'
order by outcome_at desc
limit 1`,
        [tenantId, fingerprint],
      );
      return {
        ...(decided &&
          decided.decision_expires_at > now && {
            decision: {
              decision: decided.decision,
              checkId: decided.check_id,
              at: decided.decided_at,
              expiresAt: decided.decision_expires_at,
              principal: { id: decided.principal_id, name: decided.name, type: decided.type },
            },
          }),
        ...(ended && { outcome: { outcome: ended.outcome, checkId: ended.check_id, at: ended.outcome_at } }),
      };
    },
    find: (checkId) => read(database, checkId, ''),
    report: (checkId, judge) =>
      database.transaction(async (sql) => {
        const check = await read(sql, checkId, 'for update of k');
        if (!check) return undefined;
        const report = await judge(check);
        await sql.query(
          `update preflight_check set
  decision = coalesce($3, decision), decision_expires_at = coalesce($4::timestamptz, decision_expires_at),
  decided_by = case when $3::text is null then decided_by else $5 end, decided_at = case when $3::text is null then decided_at else $6::timestamptz end,
  outcome = coalesce($7, outcome), outcome_by = case when $7::text is null then outcome_by else $5 end, outcome_at = case when $7::text is null then outcome_at else $6::timestamptz end,
  note = coalesce($8, note), useful = coalesce($9::text[], useful), lesson_id = coalesce($10, lesson_id)
where tenant_id = $1 and check_id = $2`,
          [
            tenantId,
            checkId,
            report.decision?.decision ?? null,
            report.decision?.expiresAt ?? null,
            principalId,
            now,
            report.outcome ?? null,
            report.note ?? null,
            report.useful ?? null,
            report.lessonId ?? null,
          ],
        );
        return check;
      }),
  };
}

function toCheck(row: CheckRow): Check {
  return {
    checkId: row.check_id,
    scopeKey: row.scope_key || null,
    actionType: row.action_type,
    fingerprint: row.fingerprint,
    verdict: row.verdict,
    cited: row.cited,
    decision: row.decision,
    decisionExpiresAt: row.decision_expires_at,
    outcome: row.outcome,
    lessonId: row.lesson_id,
  };
}
