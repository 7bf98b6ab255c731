import type { Effect, Kind, Memory, Rule } from '../../src/memory/memory.ts';
import type { Action } from '../../src/preflight/action.ts';
import { type Facts, judge } from '../../src/preflight/judge.ts';

export function actionOf(given: Partial<Action> = {}): Action {
  return { type: 'code.patch', summary: 'Change something', files: [], scopeKey: null, command: undefined, ...given };
}

let count = 0;

export function memoryOf(given: { content?: string; kind?: Kind; rule?: Rule } = {}): Memory {
  count += 1;
  const at = '2026-11-01T00:00:00.000Z';
  return {
    id: `mem_${count}`,
    content: given.content ?? `Policy ${count}`,
    kind: given.kind ?? 'policy',
    scope_key: null,
    tags: [],
    ...(given.rule && { rule: given.rule }),
    status: 'live',
    revision: 1,
    created_at: at,
    embedding: 'ready',
    flags: [],
    provenance: { principal: { id: 'prn_1', name: 'Ada', type: 'person' }, at, revision: 1, corroborations: [] },
  };
}

export function judgeRules(action: Action, rules: readonly { rule: Rule; kind?: Kind }[]): Effect {
  return judgeAll(
    action,
    rules.map((given) => ({ memory: memoryOf(given), relevance: 0 })),
  ).verdict;
}

export function judgeAll(action: Action, evidence: Facts['evidence'], given: Partial<Facts> = {}) {
  return judge({ action, evidence, precedents: {}, degraded: [], relevanceThreshold: 0.3, ...given });
}
