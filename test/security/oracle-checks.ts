import type { Caller } from '../../src/auth/caller.ts';
import { holds, iso, type Mem, mustHold, mustHoldSomewhere, type Oracle, Refused } from './oracle.ts';
import { applicable, type Scope } from './world.ts';

interface Check {
  tenant: string;
  id: string;
  scope: Scope;
  type: string;
  verdict: string;
  cited: string[];
  decision?: { as: string; by: Caller; at: number; expiresAt: number };
  outcome?: { as: string; at: number };
}

const severities = ['allow', 'warn', 'require_approval', 'block'];
const worst = (effects: readonly string[]) => effects.reduce((a, b) => (severities.indexOf(b) > severities.indexOf(a) ? b : a), 'allow');
const hourMs = 3_600_000;

/** Preflight by the words of the design. Actions of a type in a scope are one fingerprint here: they have no command and no files. */
export function createCheckOracle(oracle: Oracle) {
  const checks: Check[] = [];
  const newest = <T extends { at: number }>(found: (T | undefined)[]) => found.filter((one) => one !== undefined).sort((a, b) => b.at - a.at)[0];

  return {
    checks,

    check(caller: Caller, scope: Scope, type: string, now: number) {
      mustHoldSomewhere(caller, 'read');
      mustHold(caller, 'read', scope);
      const evidence = oracle
        .inScopes(caller, applicable(scope))
        .filter((memory) => oracle.inForce(memory, now) && (memory.kind === 'policy' || memory.kind === 'lesson'));
      const cited = evidence.filter(({ rule }) => rule?.when.action_types.some((pattern) => pattern === '*' || type.startsWith(pattern.slice(0, -1))));
      const earlier = checks.filter((one) => one.tenant === caller.tenantId && one.scope === scope && one.type === type);
      const decided = newest(earlier.map(({ decision, id }) => decision && { ...decision, id }));
      const decision = decided && decided.expiresAt > now ? decided : undefined;
      const outcome = newest(earlier.map(({ outcome }) => (outcome?.as === 'abandoned' ? undefined : outcome)));

      const effects = cited.map(({ rule, kind }) => (kind === 'lesson' && rule?.effect !== 'allow' ? 'warn' : (rule?.effect ?? 'allow')));
      const decidedEffects =
        decision?.as === 'rejected'
          ? [...effects, 'block']
          : decision?.as === 'approved'
            ? effects.map((effect) => (effect === 'require_approval' ? 'allow' : effect))
            : effects;
      const verdict = worst([...decidedEffects, ...(outcome?.as === 'failed' || outcome?.as === 'reverted' ? ['warn'] : [])]);
      const approval = decision && { status: decision.as, check_id: decision.id, principal: name(decision.by), at: iso(decision.at) };
      /** Policies in words count by their relevance, which is no matter of admission: with one about, the verdict is only bounded. */
      const wordy = evidence.filter(({ rule }) => rule === undefined);
      return { verdict, cited, wordy, approval };
    },

    /** After the service answered: it names the check and says what it decided. */
    record(caller: Caller, scope: Scope, type: string, answered: { id: string; verdict: string; cited: string[] }): void {
      checks.push({ tenant: caller.tenantId, scope, type, ...answered });
    },

    report(caller: Caller, id: string, outcome: string, lesson: string | undefined, now: number): { memory?: Mem; expiresAt?: number } {
      mustHoldSomewhere(caller, 'write');
      const check = checks.find((one) => one.tenant === caller.tenantId && one.id === id);
      if (!check || !holds(caller, 'read', check.scope)) throw new Refused('not_found', 'check_id');
      mustHold(caller, 'write', check.scope);
      const deciding = outcome === 'approved' || outcome === 'rejected';
      if (deciding) mustHold(caller, 'approve', check.scope);
      refuseContradiction(check, outcome, deciding);
      let memory: Mem | undefined;
      if (lesson !== undefined) {
        try {
          memory = oracle.rememberOne(caller, { content: lesson, kind: 'lesson', scope: check.scope, checkId: id }, now);
        } catch (error) {
          throw error instanceof Refused ? new Refused(error.code, 'lesson', error.details) : error;
        }
      }
      if (deciding) check.decision ??= { as: outcome, by: caller, at: now, expiresAt: now + hourMs };
      else if (check.outcome?.as !== outcome) check.outcome = { as: outcome, at: now };
      return { ...(memory && { memory }), ...(deciding && check.decision && { expiresAt: check.decision.expiresAt }) };
    },
  };

  function refuseContradiction(check: Check, outcome: string, deciding: boolean): void {
    if (deciding) {
      if (check.decision?.as === outcome) return;
      if (check.decision) throw new Refused('conflict', 'outcome', ['decision']);
      if (outcome === 'approved' && check.verdict === 'block') throw new Refused('conflict', 'outcome', ['verdict']);
      return;
    }
    const before = check.outcome?.as;
    if (before === undefined || before === outcome) return;
    if (!(outcome === 'reverted' && (before === 'succeeded' || before === 'failed'))) throw new Refused('conflict', 'outcome', ['outcome']);
  }
}

const name = ({ principalId: id, name, type }: Caller) => ({ id, name, type });
