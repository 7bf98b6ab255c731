import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conditions, type Effect, effects, type Rule } from '../../src/memory/memory.ts';
import type { Action } from '../../src/preflight/action.ts';
import { mostSevere } from '../../src/preflight/judge.ts';
import { anyAction, anyRule } from './arbitraries.ts';
import { judgeAll, judgeRules, memoryOf } from './facts.ts';

const rank = (effect: Effect) => effects.indexOf(effect);

describe('of several rules', () => {
  it('the most severe wins, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyAction, (rules, action) => {
        const each = rules.map((rule) => judgeRules(action, [{ rule }]));
        expect(
          judgeRules(
            action,
            rules.map((rule) => ({ rule })),
          ),
        ).toBe(mostSevere(each));
        expect(
          judgeRules(
            action,
            rules.toReversed().map((rule) => ({ rule })),
          ),
        ).toBe(mostSevere(each));
      }),
    );
  });

  it('a lesson never outranks a policy: it gives a warning at most', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ rule: anyRule, kind: fc.constantFrom('policy' as const, 'lesson' as const) })), anyAction, (given, action) => {
        const policies = given.filter(({ kind }) => kind === 'policy');
        const all = judgeRules(action, given);
        const governed = judgeRules(action, policies);
        expect(rank(all)).toBeLessThanOrEqual(Math.max(rank(governed), rank('warn')));
        const { reasons } = judgeAll(
          action,
          given.map((one) => ({ memory: memoryOf(one), relevance: 0.5 })),
        );
        const at = reasons.findIndex(({ code }) => code === 'lesson_applies');
        if (at >= 0) expect(reasons.slice(at).filter(({ code, effect }) => code === 'rule_matched' && rank(effect) >= rank('warn'))).toEqual([]);
      }),
    );
  });

  it('an independent engine that denies when any policy forbids comes to the same verdict', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), anyAction, (rules, action) => {
        expect(
          judgeRules(
            action,
            rules.map((rule) => ({ rule })),
          ),
        ).toBe(cedarVerdict(rules, action));
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});

/** The strictest level at which Cedar denies, each rule of that level or above being a `forbid`; asked for every pair of file and command. */
function cedarVerdict(rules: readonly Rule[], action: Action): Effect {
  const level = effects.toReversed().find((effect) => {
    if (effect === 'allow') return true;
    const forbids = rules
      .filter((rule) => rank(rule.effect) >= rank(effect))
      .map((rule) => `forbid (principal, action, resource) when { ${asCedar(rule.when)} }${rule.unless ? ` unless { ${asCedar(rule.unless)} }` : ''};`);
    return pairs(action).some((context) => denied(['permit (principal, action, resource);', ...forbids].join('\n'), context));
  });
  return level ?? 'allow';
}

function denied(policies: string, context: Record<string, string>): boolean {
  const uid = { type: 'Thing', id: 'x' };
  const answer = isAuthorized({
    principal: uid,
    action: { type: 'Action', id: 'x' },
    resource: uid,
    context,
    policies: { staticPolicies: policies },
    entities: [],
  });
  if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
  expect(answer.response.diagnostics.errors).toEqual([]);
  return answer.response.decision === 'deny';
}

function pairs({ type, files, command }: Action): Record<string, string>[] {
  const commands = command?.split(' && ') ?? [''];
  return (files.length > 0 ? files : ['']).flatMap((path) => commands.map((one) => ({ type, path, command: one })));
}

function asCedar({ action_types, paths, commands }: Conditions): string {
  const anyLike = (field: string, patterns: readonly string[]) => `(${patterns.map((pattern) => `context.${field} like "${pattern}"`).join(' || ')})`;
  return [
    action_types && anyLike('type', action_types),
    // In these rules `dir/**` is everything below a folder and `**/` leads to a name anywhere.
    paths &&
      anyLike(
        'path',
        paths.flatMap((path) =>
          path.endsWith('/**')
            ? [path.slice(0, -1)]
            : path.replace('**/*', '*').startsWith('**/')
              ? [path.slice(3), `*/${path.slice(3)}`]
              : [path.replace('**/*', '*')],
        ),
      ),
    commands && anyLike('command', commands),
  ]
    .filter(Boolean)
    .join(' && ');
}
