import type { Caller, Permission } from '../auth/caller.ts';
import { likePatterns } from '../auth/grants.ts';
import type { Sql, SqlValue } from './database.ts';

/** Runs a statement that sees only what a caller may see. */
export type AdmittedQuery = <Row>(scopeKeys: readonly (string | null)[] | null, text: string, values: readonly SqlValue[]) => Promise<Row[]>;

/**
 * The one place where "which memories may this caller use" is decided. The statement it prefixes finds the admitted scopes in the relation
 * `admitted (scope_no, scope_key, memories)` and reaches memories by joining it; `$1` is the tenant, and statements number their own parameters from `$4`. `scopeKeys` narrows further
 * (null: no narrowing; a null among them: tenant-wide).
 */
export function admittedQuery(sql: Sql, caller: Caller, permission: Permission): AdmittedQuery {
  const patterns = likePatterns(caller, permission);
  return (scopeKeys, text, values) =>
    sql.query(
      `with admitted as (
  select a.scope_no, a.scope_key, a.memories
  from scope a
  where a.tenant_id = $1
    and ($2::text[] is null or exists (select from unnest(a.chain) as link where link like any ($2::text[])))
    and ($3::text[] is null or a.scope_key = any ($3::text[]))
)
${text}`,
      [caller.tenantId, patterns, scopeKeys?.map((key) => key ?? '') ?? null, ...values],
    );
}
