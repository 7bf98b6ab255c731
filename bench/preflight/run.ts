import type { Effect } from '../../src/memory/memory.ts';
import { startProgress } from '../progress.ts';
import type { PreflightService, Tenant } from './service.ts';
import { type Case, evaluatedAt, type PolicyRow, type PolicySet } from './sets.ts';

/** What the service said about a case. */
export interface Answer {
  case: Case;
  verdict: Effect;
  /** Cited policies, in the order of the reasons; one that stands for several has them all. */
  cited: readonly (readonly string[])[];
  messages: readonly string[];
  ms: number;
}

/** A set's policies in a tenant of their own. */
export interface LoadedSet {
  set: PolicySet;
  tenant: Tenant;
  /** The set's names of a stored memory; equal texts of one scope are one memory. */
  refs: ReadonlyMap<string, readonly string[]>;
}

const yearMs = 365 * 86_400_000;
/** The service takes up to 256 memories at once. */
const batchItems = 200;

/** Remembers the policies a year before the day of judging, then replaces those that have been superseded. */
export async function load(service: PreflightService, set: PolicySet): Promise<LoadedSet> {
  const tenant = await service.freshTenant();
  service.clock.now = new Date(evaluatedAt.getTime() - yearMs);
  const refs = new Map<string, string[]>();
  const ids = new Map<string, string>();
  const note = (id: string, { ref }: PolicyRow) => {
    ids.set(ref, id);
    refs.set(id, [...(refs.get(id) ?? []), ref]);
  };
  const replaced = new Set(set.policies.flatMap(({ supersededBy }) => supersededBy ?? []));
  const first = set.policies.filter(({ ref }) => !replaced.has(ref));
  for (let at = 0; at < first.length; at += batchItems) {
    const batch = first.slice(at, at + batchItems);
    const { results } = await tenant.invoke('memory.remember', { memories: batch.map(toMemory) });
    for (const [index, result] of (results as { ok: boolean; memory?: { id: string }; error?: unknown }[]).entries()) {
      if (!result.memory) throw new Error(`${batch[index]?.ref} was refused: ${JSON.stringify(result.error)}`);
      note(result.memory.id, batch[index] as PolicyRow);
    }
  }
  for (const old of set.policies) {
    const next = set.policies.find(({ ref }) => ref === old.supersededBy);
    if (!next) continue;
    const { memory } = await tenant.invoke('memory.revise', { id: ids.get(old.ref), content: next.content, rule: next.rule ?? null });
    note((memory as { id: string }).id, next);
  }
  service.clock.now = evaluatedAt;
  return { set, tenant, refs };
}

function toMemory({ kind, content, scope, rule, expiresAt }: PolicyRow) {
  return { kind, content, ...(scope !== null && { scope_key: scope }), ...(rule && { rule }), ...(expiresAt !== undefined && { expires_at: expiresAt }) };
}

/** Checks every case. */
export async function check({ set, tenant, refs }: LoadedSet, threshold?: number): Promise<Answer[]> {
  const progress = startProgress(set.name, set.cases.length);
  const answers: Answer[] = [];
  for (const one of set.cases) {
    const begun = performance.now();
    const { verdict, reasons } = await tenant.invoke('preflight.action', { action: one.action }, threshold);
    const ms = performance.now() - begun;
    const given = reasons as { citation?: string; message: string }[];
    answers.push({
      case: one,
      verdict: verdict as Effect,
      cited: given.flatMap(({ citation }) => (citation === undefined ? [] : [refs.get(citation) ?? []])),
      messages: given.map(({ message }) => message),
      ms,
    });
    progress.step();
  }
  progress.done();
  return answers;
}
