import { Failure } from '../failure.ts';
import { covers } from '../memory/scope.ts';
import type { Caller, Permission } from './caller.ts';

/** Whether the caller holds a permission on a scope (null: tenant-wide). */
export function can(caller: Caller, permission: Permission, scopeKey: string | null): boolean {
  return caller.grants.some((grant) => grant.can.includes(permission) && covers(grant.scope, scopeKey));
}

/** Whether the caller holds a permission anywhere. */
export function canSomewhere(caller: Caller, permission: Permission): boolean {
  return caller.grants.some((grant) => grant.can.includes(permission));
}

/** @throws Failure `forbidden` that names the missing grant. */
export function requirePermission(caller: Caller, permission: Permission, scopeKey: string | null): void {
  if (can(caller, permission, scopeKey)) return;
  throw new Failure('forbidden', `This credential has no \`${permission}\` grant on ${scopeKey ?? 'tenant-wide memories'}.`, {
    field: 'scope_key',
    details: { permission, scope_key: scopeKey },
  });
}

/** The scope patterns a caller may use for one permission, as SQL LIKE patterns; null means every scope, tenant-wide included. */
export function likePatterns(caller: Caller, permission: Permission): string[] | null {
  const scopes = caller.grants.filter((grant) => grant.can.includes(permission)).map((grant) => grant.scope);
  if (scopes.includes('*')) return null;
  return scopes.map((scope) => scope.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%'));
}
