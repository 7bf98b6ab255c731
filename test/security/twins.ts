import fc from 'fast-check';
import type { Caller, Grant } from '../../src/auth/caller.ts';
import { memoryId } from '../../src/memory/identity.ts';
import type { Output, Testbed } from '../helpers/testbed.ts';
import { holds } from './oracle.ts';
import { call, enrollAll } from './runner.ts';
import { contents, grants, type Item, query, type Scope, scope, scopes, search, seeds } from './world.ts';

/** What an observer does, and what happens meanwhile where the observer may neither read nor write. */
const own = fc.oneof(
  { weight: 4, arbitrary: search.map((asked) => ({ do: 'search' as const, asked })) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remember' as const), content: fc.constantFrom(...contents), scope }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), content: fc.constantFrom(...contents), scope }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), content: fc.constantFrom(...contents), scope }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('check' as const), scope }) },
);
const hidden = fc.record({ items: seeds, foreign: fc.boolean() });
type Own = typeof own extends fc.Arbitrary<infer T> ? T : never;
type Hidden = typeof hidden extends fc.Arbitrary<infer T> ? T : never;

/** Someone who sees something, and never everything. */
const observing = fc
  .tuple(fc.constantFrom('org:acme', 'repo:acme/*', 'repo:*', 'branch:*', '*:acme', 'org:acm*'), grants)
  .map(([scope, more]): Grant[] => [{ scope, can: ['read', 'write'] }, ...more.filter((grant) => grant.scope !== '*')]);
export const twinStory = fc.record({ held: observing, seeds, turns: fc.array(fc.record({ hidden, own }), { minLength: 1, maxLength: 3, size: 'max' }) });
export interface TwinStory {
  held: Grant[];
  seeds: (Item & { short: boolean })[];
  turns: { hidden: Hidden; own: Own }[];
}

/** All that the observer is told, word for word, with ids that differ by their tenant's name alone put into words. */
export async function tellStory(bed: Testbed, { held, seeds, turns }: TwinStory, withHidden: boolean): Promise<string[]> {
  bed.clock.now = new Date('2026-11-01T12:00:00.000Z');
  const [owner, observer, stranger] = (await enrollAll(bed, [held])) as [Caller, Caller, Caller];
  const unseen = ({ scope_key: scope = null }: { scope_key?: string | null | undefined }) =>
    !holds(observer, 'read', scope) && !holds(observer, 'write', scope);
  const write = (caller: Caller, items: readonly (Item & { short: boolean })[]) =>
    items.length > 0 ? call(bed, caller, 'memory.remember', { memories: items.map(({ short: _, ...item }) => item) }) : undefined;
  const says = createSpeaker(observer);

  if (withHidden) await write(owner, seeds.filter(unseen));
  await write(
    owner,
    seeds.filter((item) => !unseen(item)),
  );
  const told: string[] = [];
  for (const { hidden, own } of turns) {
    bed.clock.now = new Date(bed.clock.now.getTime() + 1_000);
    if (withHidden) await (hidden.foreign ? write(stranger, hidden.items) : write(owner, hidden.items.filter(unseen)));
    bed.clock.now = new Date(bed.clock.now.getTime() + 1_000);
    const [verb, input] = request(own, observer);
    told.push(says(await call(bed, observer, verb, input)));
  }
  // However the story went, the scores at its end are looked at.
  told.push(says(await call(bed, observer, 'memory.search', { query: contents[0], limit: 100 })));
  return told;
}

function request(step: Own, { tenantId }: Caller): [verb: string, input: unknown] {
  if (step.do === 'search') {
    const { scope, exact, kinds, tags, query: asks } = step.asked;
    const filters = { ...(scope && { scope_key: scope }), ...(exact && { scope_mode: 'exact' }), ...(kinds && { kinds }), ...(tags && { tags }) };
    return ['memory.search', { ...(asks && { query: contents[0] }), filters, limit: 100 }];
  }
  const pinned = step.scope !== null && { scope_key: step.scope };
  if (step.do === 'remember') return ['memory.remember', { content: step.content, kind: 'fact', ...pinned }];
  if (step.do === 'check') return ['preflight.action', { action: { action_type: 'deploy.run', summary: query, ...pinned } }];
  return [`memory.${step.do}`, { id: memoryId(tenantId, step.scope, step.content) }];
}

function createSpeaker({ tenantId }: Caller): (outcome: unknown) => string {
  const words = new Map(scopes.flatMap((scope: Scope) => contents.map((content) => [memoryId(tenantId, scope, content), `<${scope} ${content}>`] as const)));
  const principals = new Map<string, string>();
  const speak = (text: string) =>
    text
      .replaceAll(/mem_[0-9a-z]{26}/g, (id) => words.get(id) ?? '<unknown>')
      .replaceAll(/(?:req|chk)_[0-9a-z]{26}/g, '<new>')
      .replaceAll(/prn_[0-9a-z]{26}/g, (id) => principals.get(id) ?? principals.set(id, `<principal ${principals.size}>`).get(id) ?? '');
  return (outcome) => {
    const { output } = outcome as { output?: Output };
    // Hits of one score are in the order of their ids, which differ with the tenant.
    const byScore = (one: Output, other: Output) => other.score - one.score || (speak(one.id) < speak(other.id) ? -1 : 1);
    for (const list of [output?.hits, output?.citations]) if (output?.hits !== undefined || output?.citations) list?.sort(byScore);
    return speak(JSON.stringify(outcome));
  };
}
