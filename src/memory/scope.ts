/** Scope keys: where a memory is pinned, what encloses it, and what a grant covers. */
export const scopeLevels = ['org', 'team', 'project', 'repo', 'branch', 'user', 'agent', 'session'] as const;

export const scopeKeyPattern = /^(org|team|project|repo|branch|user|agent|session):[A-Za-z0-9][A-Za-z0-9._/@-]{0,199}$/;

export const scopeKeyExample = 'repo:acme/api';

/**
 * The keys that enclose a key, nearest first, read off its id: `branch:acme/api@main` → `repo:acme/api`, `org:acme`.
 * A branch's repository ends at the first `@`, since repository names hold none.
 */
export function enclosing(scopeKey: string): string[] {
  const [level, id] = split(scopeKey);
  if (level === 'branch') {
    const at = id.indexOf('@');
    return at > 0 ? withEnclosing(`repo:${id.slice(0, at)}`) : [];
  }
  if (level === 'repo') {
    const slash = id.indexOf('/');
    return slash > 0 ? [`org:${id.slice(0, slash)}`] : [];
  }
  return [];
}

/** The key itself and what encloses it; empty for tenant-wide (null). */
export function withEnclosing(scopeKey: string | null): string[] {
  return scopeKey === null ? [] : [scopeKey, ...enclosing(scopeKey)];
}

/** Where memories that bear on a key may be pinned: itself, what encloses it, tenant-wide (null). */
export function applicableScopes(scopeKey: string | null): (string | null)[] {
  return [...withEnclosing(scopeKey), null];
}

/** Whether a grant's scope covers a key: it matches the key or something that encloses it. Only `*` covers tenant-wide (null). */
export function covers(grantScope: string, scopeKey: string | null): boolean {
  if (grantScope === '*') return true;
  const pattern = new RegExp(`^${grantScope.split('*').map(escapeRegExp).join('.*')}$`);
  return withEnclosing(scopeKey).some((key) => pattern.test(key));
}

function split(scopeKey: string): [level: string, id: string] {
  const colon = scopeKey.indexOf(':');
  return [scopeKey.slice(0, colon), scopeKey.slice(colon + 1)];
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
