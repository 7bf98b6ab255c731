import { expect } from 'vitest';
import type { Caller, Grant } from '../../src/auth/caller.ts';
import { newId } from '../../src/ids.ts';
import { memoryId } from '../../src/memory/identity.ts';
import type { Outcome } from '../../src/service.ts';
import type { Output, Testbed } from '../helpers/testbed.ts';
import { createOracle, iso, type Mem, Refused } from './oracle.ts';
import { createCheckOracle } from './oracle-checks.ts';
import { applicable, type Item, query, type Scope, type SearchStep, type Step } from './world.ts';

export const everything: Grant[] = [{ scope: '*', can: ['read', 'write', 'govern', 'approve'] }];
const absent = { memory: 'mem_00000000000000000000000000', check: 'chk_00000000000000000000000000' };
let tenants = 0;

/** Callers in a fresh tenant: who owns it, one for each list of grants, and last the owner of another tenant. */
export async function enrollAll(bed: Testbed, grants: readonly Grant[][]): Promise<Caller[]> {
  const { credentials } = bed.store;
  const [ours, theirs] = [0, 1].map(() => `i${++tenants}-${newId('prn').slice(4, 14)}`) as [string, string];
  await credentials.createTenant(ours);
  await credentials.createTenant(theirs);
  const all = [everything, ...grants].map((held, at) => ({ tenantId: ours, name: `p${at}`, type: 'person' as const, grants: held }));
  const callers = [...all, { tenantId: theirs, name: 'stranger', type: 'machine' as const, grants: everything }];
  return Promise.all(callers.map(async (one) => ({ ...one, principalId: (await credentials.enroll(one.tenantId, one)).principalId })));
}

export function call(bed: Testbed, caller: Caller, verb: string, input: unknown): Promise<Outcome> {
  return bed.service.invoke(verb, input, { requestId: newId('req'), identify: async () => caller });
}

/** Does each step through the service and through the oracle, and compares. `alike` says which texts the model takes for the same. */
export function createRunner(bed: Testbed, alike: (one: string, other: string) => boolean) {
  const oracle = createOracle();
  const checkOracle = createCheckOracle(oracle);
  const moments = [bed.clock.now.getTime()];
  const nowMs = () => bed.clock.now.getTime();
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
  const memoryAt = (at: number) => pick([...oracle.memories.map(({ id }) => id), absent.memory], at);

  /** Advances the clock, so that no two steps happen at once. */
  function tick(ms = 1_000): void {
    bed.clock.now = new Date(nowMs() + ms);
    moments.push(nowMs());
  }

  /** The output, when the oracle foretold one too; a foretold refusal must come, with that code, field and those details, and no others. */
  async function both<T>(caller: Caller, verb: string, input: unknown, foretell: () => T): Promise<{ output: Output; foretold: T } | undefined> {
    const outcome = await call(bed, caller, verb, input);
    let foretold: T;
    try {
      foretold = foretell();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      expect(shape(outcome), `${verb} by ${caller.name}`).toEqual({ code: error.code, field: error.field, details: [...error.details].sort() });
      if (error.code === 'not_found') await expectLikeAbsent(caller, verb, input as Output, outcome);
      return undefined;
    }
    if (!outcome.ok) throw new Error(`${verb} by ${caller.name} was refused: ${JSON.stringify(outcome.error)}`, { cause: bed.defects.at(-1) });
    return { output: outcome.output, foretold };
  }

  /** What may not be seen is refused letter by letter like what never was. */
  async function expectLikeAbsent(caller: Caller, verb: string, input: Output, outcome: Outcome): Promise<void> {
    const [field, id] = 'check_id' in input ? (['check_id', absent.check] as const) : (['id', absent.memory] as const);
    const other = await call(bed, caller, verb, { ...input, [field]: id });
    const text = (one: Outcome, of: string) => JSON.stringify({ ...one, error: one.ok ? one : { ...one.error, request_id: '' } }).replaceAll(of, 'ID');
    expect(text(outcome, String(input[field]))).toBe(text(other, id));
  }

  function draftOf({ content, kind, scope_key: scope, tags, source, rule, expires_at: end }: Item) {
    return { content, kind, scope: scope ?? null, tags, source, rule, expiresAt: end === undefined ? undefined : Date.parse(end) };
  }

  function inputOf({ short, ...item }: Item & { short: boolean }): Item {
    return short ? { ...item, expires_at: iso(nowMs() + 600_000) } : item;
  }

  async function remember(caller: Caller, item: Item): Promise<void> {
    const scope = item.scope_key ?? null;
    const known = oracle.byId(memoryId(caller.tenantId, scope, item.content)) !== undefined;
    const result = await both(caller, 'memory.remember', item, () => oracle.rememberOne(caller, draftOf(item), nowMs()));
    if (!result) return;
    const { output, foretold } = result;
    expect(output.memory).toEqual(oracle.view(foretold, nowMs()));
    expect(output.created).toBe(!known);
    const near = oracle
      .inScopes(caller, applicable(scope))
      .filter((one) => one !== foretold && oracle.inForce(one, nowMs()) && alike(one.content, item.content));
    expect(output.similar.length).toBe(Math.min(3, near.length));
    for (const one of output.similar) {
      const memory = near.find(({ id }) => id === one.id);
      expect(one).toEqual({ id: memory?.id, kind: memory?.kind, scope_key: memory?.scope, excerpt: memory?.content, similarity: expect.any(Number) });
    }
  }

  async function batch(caller: Caller, items: readonly Item[]): Promise<void> {
    const known = items.map(({ content, scope_key: scope }) => oracle.byId(memoryId(caller.tenantId, scope ?? null, content)) !== undefined);
    if (!caller.grants.some(({ can }) => can.includes('write'))) {
      await both(caller, 'memory.remember', { memories: items }, () => {
        throw new Refused('forbidden', undefined, ['permission']);
      });
      return;
    }
    const outcome = await call(bed, caller, 'memory.remember', { memories: items });
    const foretold = oracle.rememberAll(caller, items.map(draftOf), nowMs());
    const accepted = foretold.filter((one) => !(one instanceof Refused)).length;
    if (accepted === 0) expect(shape(outcome)).toEqual({ code: 'validation', field: 'memories', details: ['results'] });
    const { results } = (outcome.ok ? outcome.output : outcome.error.details) as Output;
    foretold.forEach((one, index) => {
      const result = results[index];
      if (one instanceof Refused) {
        const fault = { code: one.code, field: `memories.${index}.${one.field}`, details: [...one.details].sort() };
        expect(shape({ ok: false, error: result.error })).toEqual(fault);
      } else expect(result).toEqual({ index, ok: true, memory: oracle.view(one, nowMs()), created: !known[index] });
    });
  }

  /** Reads page after page; the pages together are what the oracle says, in its order where there is one. */
  async function search(caller: Caller, heir: Caller, asked: SearchStep): Promise<void> {
    const asOf = asked.asOf === undefined ? undefined : pick(moments, asked.asOf);
    const filters = {
      ...(asked.scope && { scope_key: asked.scope }),
      ...(asked.exact && { scope_mode: 'exact' }),
      ...(asked.kinds && { kinds: asked.kinds }),
      ...(asked.tags && { tags: asked.tags }),
      ...(asOf !== undefined && { as_of: iso(asOf) }),
    };
    // Without a scope to apply it to, a mode alone asks for tenant-wide memories.
    const input = { ...(asked.query && { query }), filters, limit: asked.limit };
    const step = { ...asked, scope: asked.scope ?? undefined };
    const hits: Output[] = [];
    let cursor: string | undefined;
    do {
      const result = await both(caller, 'memory.search', { ...input, ...(cursor && { cursor }) }, () => oracle.search(caller, step, asOf, nowMs()));
      if (!result) return;
      const { output, foretold } = result;
      hits.push(...output.hits);
      expect(output.hits.length).toBe(Math.min(asked.limit, foretold.length - hits.length + output.hits.length));
      expect(output.next_cursor !== undefined).toBe(hits.length < foretold.length);
      if (cursor === undefined && output.next_cursor) await inherit(heir, { ...input, cursor: output.next_cursor }, step, asOf);
      cursor = output.next_cursor;
      if (!cursor) expectHits(hits, foretold, asked.query);
    } while (cursor);
  }

  function expectHits(hits: readonly Output[], foretold: readonly Mem[], ranked: boolean): void {
    const found = hits.map(({ score, score_breakdown, ...memory }) => {
      const parts = Object.values(score_breakdown as Record<string, { contribution: number }>);
      expect(parts.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
      expect(score_breakdown.text.terms).toEqual(ranked ? [{ term: query, tf: 1 }] : []);
      return memory;
    });
    const order = (one: Output, other: Output) => (one.id < other.id ? -1 : 1);
    const views: Output[] = foretold.map((memory) => oracle.view(memory, nowMs()));
    if (ranked) expect([...found].sort(order)).toEqual(views.sort(order));
    else expect(found).toEqual(views);
  }

  /** A cursor that someone else was given opens nothing. */
  async function inherit(heir: Caller, input: Output, asked: SearchStep, asOf: number | undefined): Promise<void> {
    const result = await both(heir, 'memory.search', input, () => oracle.search(heir, asked, asOf, nowMs()));
    const own = result?.foretold.map((memory) => JSON.stringify(memory.id));
    for (const { id } of result?.output.hits ?? []) expect(own).toContain(JSON.stringify(id));
  }

  async function get(caller: Caller, id: string): Promise<void> {
    const result = await both(caller, 'memory.get', { id }, () => oracle.get(caller, id, nowMs()));
    if (result) expect(result.output).toEqual({ memory: oracle.view(result.foretold, nowMs()), history: oracle.history(result.foretold) });
  }

  async function check(caller: Caller, scope: Scope, type: string): Promise<void> {
    const action = { action_type: type, summary: query, ...(scope !== null && { scope_key: scope }) };
    const result = await both(caller, 'preflight.action', { action }, () => checkOracle.check(caller, scope, type, nowMs()));
    if (!result) return;
    const { output, foretold } = result;
    const { cited, wordy } = foretold;
    const citations = new Map(output.citations.map((one: Output) => [one.memory_id, one])) as Map<string, Output>;
    for (const { id } of cited) expect([...citations.keys()]).toContain(id);
    for (const [id, { excerpt, kind, scope_key, revision, provenance }] of citations) {
      const memory = [...cited, ...wordy].find((one) => one.id === id);
      expect(memory, `citation of ${id}`).toBeDefined();
      if (!memory) continue;
      const view = oracle.view(memory, nowMs());
      expect({ kind, scope_key, revision, provenance }).toEqual({ kind: view.kind, scope_key: view.scope_key, revision, provenance: view.provenance });
      expect(excerpt).toBe(memory.content);
    }
    const severities = ['allow', 'warn', 'require_approval', 'block'];
    if (wordy.length === 0) {
      expect(output.verdict).toBe(foretold.verdict);
      const { approval } = foretold;
      if (approval) expect(output.approval).toEqual({ ...approval, expires_at: expect.any(String) });
      else expect(output.approval?.check_id).toBe(output.verdict === 'require_approval' ? output.check_id : undefined);
    } else expect(severities.indexOf(output.verdict)).toBeGreaterThanOrEqual(severities.indexOf(foretold.verdict));
    checkOracle.record(caller, scope, type, { id: output.check_id, verdict: output.verdict, cited: [...citations.keys()] });
  }

  async function report(caller: Caller, id: string, outcome: string, lesson: string | undefined): Promise<void> {
    const input = { check_id: id, outcome, ...(lesson && { lesson }) };
    const result = await both(caller, 'preflight.report', input, () => checkOracle.report(caller, id, outcome, lesson, nowMs()));
    if (!result) return;
    const { memory, expiresAt } = result.foretold;
    expect(result.output).toEqual({
      ...{ check_id: id, outcome },
      ...(memory && { memory: oracle.view(memory, nowMs()) }),
      ...(expiresAt !== undefined && { expires_at: iso(expiresAt) }),
    });
  }

  return {
    /** Seeds the fresh tenant in one request. */
    seed: (owner: Caller, items: readonly (Item & { short: boolean })[]) => batch(owner, items.map(inputOf)),
    async run(step: Step, callers: readonly Caller[]): Promise<void> {
      tick();
      if (step.do === 'wait') return tick(3_600_000);
      const caller = pick(callers, step.who);
      if (step.do === 'remember') return remember(caller, inputOf(step.item));
      if (step.do === 'batch') return batch(caller, step.items.map(inputOf));
      if (step.do === 'search') return search(caller, pick(callers, step.heir), step.search);
      if (step.do === 'get') return get(caller, memoryAt(step.which));
      if (step.do === 'check') return check(caller, step.scope, step.type);
      if (step.do === 'report') return report(caller, pick([...checkOracle.checks.map(({ id }) => id), absent.check], step.which), step.outcome, step.lesson);
      const id = memoryAt(step.which);
      const reason = step.reason && { reason: step.reason };
      if (step.do === 'forget') {
        const input = { id, ...reason, ...(step.erase !== undefined && { erase: step.erase }) };
        const result = await both(caller, 'memory.forget', input, () => oracle.forget(caller, id, step.erase ?? false, step.reason, nowMs()));
        if (result) expect(result.output).toEqual(result.foretold);
        return;
      }
      const { changes, expected } = step;
      const input = { id, ...changes, ...reason, ...(expected !== undefined && { expected_revision: expected }) };
      const result = await both(caller, 'memory.revise', input, () => oracle.revise(caller, id, changes, expected, step.reason, nowMs()));
      if (!result) return;
      const { memory, supersedes } = result.foretold;
      expect(result.output).toEqual({ memory: oracle.view(memory, nowMs()), ...(supersedes && { supersedes }) });
    },
  };
}

/** What a caller can tell one refusal from another by. */
function shape(outcome: Outcome): unknown {
  if (outcome.ok) return outcome;
  const { code, field, details } = outcome.error;
  return { code, field, details: Object.keys(details ?? {}).sort() };
}
