import fc from 'fast-check';
import { type Grant, permissions } from '../../src/auth/caller.ts';

/** What encloses each scope, written out: nothing here is computed by the rules under test. `null` is tenant-wide. */
const enclosedBy: Readonly<Record<string, readonly string[]>> = {
  'org:acme': [],
  'repo:acme/api': ['org:acme'],
  'branch:acme/api@main': ['repo:acme/api', 'org:acme'],
  'branch:acme/api@fix@2': ['repo:acme/api', 'org:acme'],
  'repo:acme/web': ['org:acme'],
  'repo:rival/api': ['org:rival'],
  // Look-alikes: of a prefix, of a level, and of what LIKE or a regular expression would take for a wildcard.
  'org:acm': [],
  'org:Acme': [],
  'team:acme': [],
  'repo:acme': [],
  'repo:acme.api': [],
  'repo:acme_x/api': ['org:acme_x'],
  'branch:main': [],
  'user:ann': [],
};

export type Scope = string | null;
export const scopes: readonly Scope[] = [null, ...Object.keys(enclosedBy)];

/** A scope and what encloses it; nothing for tenant-wide. */
function chain(scope: Scope): readonly string[] {
  return scope === null ? [] : [scope, ...(enclosedBy[scope] ?? [])];
}

export function applicable(scope: Scope): readonly Scope[] {
  return [...chain(scope), null];
}

export function grantCovers(pattern: string, scope: Scope): boolean {
  return pattern === '*' || chain(scope).some((key) => matches(pattern, key));
}

/** `*` is any run of characters, everything else itself. */
function matches(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return matches(pattern.slice(1), text) || (text !== '' && matches(pattern, text.slice(1)));
  return pattern[0] === text[0] && matches(pattern.slice(1), text.slice(1));
}

const patterns = [
  '*',
  'org:acme',
  'repo:acme/*',
  'repo:acme/api',
  'branch:acme/api@main',
  'branch:*',
  'repo:*/api',
  'org:acm*',
  'user:*',
  '*:acme',
  '**',
  '*@*',
  // Nothing but a `*` may act as a wildcard.
  'repo:acme.api',
  'repo:acme_api',
  'repo:acme_x/*',
  'repo:acm%',
  'repo:acme\\/api',
  'org:[aA]cme',
  'org:acme|org:rival',
  'ORG:ACME',
  '',
];

export const grants: fc.Arbitrary<Grant[]> = fc.array(
  fc.record({ scope: fc.constantFrom(...patterns), can: fc.subarray([...permissions], { minLength: 1 }) }),
  { maxLength: 3 },
);

/** Every text holds the word that is searched for; two pairs say the same in another order. */
export const contents = [
  'harbor lights guide the night ferry home',
  'home the night ferry harbor lights guide',
  'harbor pilots keep a spare anchor aboard',
  'aboard a spare anchor harbor pilots keep',
  'harbor fees rise with every spring tide',
  'harbor cats sleep on coils of warm rope',
] as const;
export const query = 'harbor';

export const scope = fc.constantFrom(...scopes);
const content = fc.constantFrom(...contents);
const tags = fc.option(fc.constantFrom(['red'], ['red', 'blue'], []), { nil: undefined });
const kind = fc.constantFrom('fact', 'fact', 'note', 'lesson', 'policy');
const effect = fc.constantFrom('warn', 'require_approval', 'block');
const actionTypes = ['deploy.run', 'file.read'] as const;
const rule = fc.record({ effect, when: fc.record({ action_types: fc.constantFrom(['deploy.*'], ['file.read'], ['*']) }) });

export interface Item {
  content: string;
  kind: string;
  scope_key?: string | undefined;
  tags?: readonly string[] | undefined;
  source?: { title: string } | undefined;
  expires_at?: string | undefined;
  rule?: { effect: string; when: { action_types: readonly string[] } } | undefined;
}

const item = fc
  .record({ content, kind, scope, tags, rule, title: fc.option(fc.constantFrom('log', 'wiki'), { nil: undefined }), short: fc.boolean() })
  .map(({ content, kind, scope, tags, rule, title, short }): Item & { short: boolean } => ({
    content,
    kind,
    ...(scope !== null && { scope_key: scope }),
    ...(tags && { tags }),
    ...(title && { source: { title } }),
    ...((kind === 'policy' || kind === 'lesson') && { rule }),
    short,
  }));
const distinct = { selector: (one: Item) => `${one.scope_key} ${one.content}` };
export const seeds = fc.uniqueArray(item, { ...distinct, minLength: 3, maxLength: 6 });

export interface SearchStep {
  query: boolean;
  scope: Scope | undefined;
  exact: boolean;
  kinds: string[] | undefined;
  tags: string[] | undefined;
  asOf: number | undefined;
  limit: number;
}
export const search: fc.Arbitrary<SearchStep> = fc.record({
  query: fc.boolean(),
  scope: fc.option(scope, { nil: undefined }),
  exact: fc.boolean(),
  kinds: fc.option(fc.constantFrom(['policy'], ['fact', 'note']), { nil: undefined, freq: 3 }),
  tags: fc.option(fc.constantFrom(['red'], ['red', 'blue']), { nil: undefined, freq: 4 }),
  asOf: fc.option(fc.nat(8), { nil: undefined, freq: 5 }),
  limit: fc.constantFrom(1, 2, 100),
});

const who = fc.nat(9);
/** Which of the memories or checks known by then; the last ones are ids that never were. */
const which = fc.nat(12);
const reason = fc.option(fc.constantFrom('tidying', 'mistake'), { nil: undefined });

/** One step of a run. Numbers are taken modulo what there is, so that a step means something wherever shrinking leaves it. */
export const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remember' as const), who, item }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('batch' as const), who, items: fc.uniqueArray(item, { ...distinct, minLength: 1, maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('search' as const), who, search, heir: who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const), who, which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('revise' as const),
      who,
      which,
      reason,
      changes: fc.oneof(
        content.map((text) => ({ content: text })),
        fc.constantFrom({ tags: ['blue'] }, { kind: 'policy' }, { kind: 'fact' }, { content: contents[0], kind: 'note' }),
      ),
      expected: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('forget' as const), who, which, reason, erase: fc.option(fc.boolean(), { nil: undefined }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check' as const), who, scope, type: fc.constantFrom(...actionTypes) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      who,
      which,
      outcome: fc.constantFrom('approved', 'rejected', 'succeeded', 'failed', 'reverted', 'abandoned'),
      lesson: fc.option(content, { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'wait' as const }) },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A step that leaves memories as they are; always of the same caller. */
export const look: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('search' as const), who: fc.constant(0), search, heir: fc.constant(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), who: fc.constant(0), which: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('check' as const), who: fc.constant(0), scope, type: fc.constantFrom(...actionTypes) }) },
);

/** One of every kind of state in every scope: live, superseded, forgotten, a rule, two that say the same. */
export function crowd(): { items: (Item & { short: boolean })[]; steps: Step[] } {
  const rule = { effect: 'block', when: { action_types: ['deploy.*'] } };
  const items = scopes.flatMap((scope) =>
    contents.slice(0, 3).map((content, at) => ({
      ...{ content, short: false, kind: at === 2 ? 'policy' : 'fact', tags: at === 0 ? ['red'] : [] },
      ...(scope !== null && { scope_key: scope }),
      ...(at === 2 && { rule }),
    })),
  );
  const steps = scopes.flatMap((_, at): Step[] =>
    at % 3 === 0
      ? [{ do: 'revise', who: 0, which: at * 3, reason: 'tidying', changes: { content: contents[3] }, expected: undefined }]
      : at % 3 === 1
        ? [{ do: 'forget', who: 0, which: at * 3, reason: 'mistake', erase: at % 2 === 0 }]
        : [],
  );
  return { items, steps };
}
