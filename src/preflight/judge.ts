import { type Effect, effects, type Memory } from '../memory/memory.ts';
import type { Action } from './action.ts';
import { type Matched, matchPaths, matchRule } from './conditions.ts';
import { quotedPaths, readModality } from './reading.ts';

/** A policy or lesson that may bear on the action. */
export interface Evidence {
  memory: Memory;
  /** 0..1, the hybrid score with the action as the query. */
  relevance: number;
}

/** What earlier checks of the same fingerprint left behind. */
export interface Precedents {
  decision?: { decision: 'approved' | 'rejected'; checkId: string; principal: { name: string }; expiresAt: Date };
  outcome?: { outcome: string; checkId: string };
}

export type ReasonCode = 'rule_matched' | 'policy_applies' | 'lesson_applies' | 'approved' | 'rejected' | 'earlier_failure' | 'recall_degraded' | 'no_policy';

export interface Reason {
  effect: Effect;
  code: ReasonCode;
  message: string;
  /** Id of the memory it rests on, among the citations. */
  citation?: string;
  matched: Matched;
}

export interface Judgement {
  verdict: Effect;
  /** Most severe first, then what matched for certain, then the most relevant. */
  reasons: Reason[];
}

export interface Facts {
  action: Action;
  evidence: readonly Evidence[];
  precedents: Precedents;
  degraded: readonly string[];
  /** A policy in words applies from this relevance on. */
  relevanceThreshold: number;
}

/** Facts in, advice out: the most severe effect wins, whatever is more specific. */
export function judge({ action, evidence, precedents, degraded, relevanceThreshold }: Facts): Judgement {
  const found = evidence.flatMap(({ memory, relevance }) => reasonFrom(memory, relevance, action, relevanceThreshold) ?? []);
  const reasons = [...applyDecision(found, precedents), ...earlierFailure(precedents), ...degradation(degraded)];
  if (reasons.length === 0) reasons.push({ effect: 'allow', code: 'no_policy', message: 'No policy or lesson bears on this action.', matched: {} });
  reasons.sort((a, b) => severity(b.effect) - severity(a.effect) || certainty(b) - certainty(a) || (b.matched.relevance ?? 0) - (a.matched.relevance ?? 0));
  return { verdict: mostSevere(reasons.map(({ effect }) => effect)), reasons };
}

export function mostSevere(found: readonly Effect[]): Effect {
  return found.reduce<Effect>((worst, effect) => (severity(effect) > severity(worst) ? effect : worst), 'allow');
}

function severity(effect: Effect): number {
  return effects.indexOf(effect);
}

function certainty(reason: Reason): number {
  return reason.code === 'rule_matched' ? 1 : 0;
}

function reasonFrom(memory: Memory, relevance: number, action: Action, threshold: number): Reason | undefined {
  const reason = memory.rule ? fromRule(memory, memory.rule, relevance, action) : fromWords(memory, relevance, action, threshold);
  if (!reason || memory.kind === 'policy') return reason;
  // A lesson advises; it never outranks a policy.
  return {
    ...reason,
    ...(memory.flags.length > 0 ? unheeded : { effect: severity(reason.effect) > severity('warn') ? 'warn' : reason.effect }),
    code: 'lesson_applies',
  };
}

function fromRule(memory: Memory, rule: NonNullable<Memory['rule']>, relevance: number, action: Action): Reason | undefined {
  const matched = matchRule(rule, action);
  if (!matched) return undefined;
  const on = Object.keys(matched).join(', ').replaceAll('_', ' ');
  return {
    effect: rule.effect,
    code: 'rule_matched',
    message: rule.message ?? `The rule matches this action by ${on}.`,
    citation: memory.id,
    matched: { ...matched, relevance },
  };
}

function fromWords(memory: Memory, relevance: number, action: Action, threshold: number): Reason | undefined {
  if (relevance < threshold) return undefined;
  const quoted = quotedPaths(memory.content);
  const paths = quoted.length > 0 && action.files.length > 0 ? matchPaths(quoted.flatMap(anywhere), action.files) : undefined;
  // The text says which files it is about, and these are others.
  if (paths?.length === 0) return undefined;
  const { effect, cue } = readModality(memory.content);
  return {
    effect,
    code: 'policy_applies',
    message: `Bears on this action; read as ${effect}${cue === undefined ? '' : `: "${cue}"`}.`,
    citation: memory.id,
    matched: { ...(paths && { paths }), relevance },
  };
}

/** People write `config.yaml` and `migrations/` and mean them wherever they lie. */
function anywhere(path: string): string[] {
  const name = path.replace(/^\.?\//, '');
  return name.endsWith('/') ? [`${name}**`, `**/${name}**`] : [name, `**/${name}`];
}

function applyDecision(reasons: readonly Reason[], { decision }: Precedents): Reason[] {
  if (!decision) return [...reasons];
  const { checkId, principal, expiresAt } = decision;
  const who = `${principal.name} ${decision.decision} this action in ${checkId}; that holds until ${expiresAt.toISOString()}.`;
  if (decision.decision === 'rejected') return [...reasons, { effect: 'block', code: 'rejected', message: who, matched: {} }];
  const lifted = reasons.map((reason): Reason => (reason.effect === 'require_approval' ? { ...reason, effect: 'allow' } : reason));
  return [...lifted, { effect: 'allow', code: 'approved', message: who, matched: {} }];
}

function earlierFailure({ outcome }: Precedents): Reason[] {
  if (outcome?.outcome !== 'failed' && outcome?.outcome !== 'reverted') return [];
  return [
    {
      effect: 'warn',
      code: 'earlier_failure',
      message: `The same action ${outcome.outcome === 'failed' ? 'failed' : 'was reverted'} after ${outcome.checkId}.`,
      matched: {},
    },
  ];
}

function degradation(degraded: readonly string[]): Reason[] {
  if (degraded.length === 0) return [];
  return [{ effect: 'warn', code: 'recall_degraded', message: `Recall ran without: ${degraded.join(', ')}. A policy may have been missed.`, matched: {} }];
}

/** What speaks to the agent instead of about the work moves no verdict, and its own words are not passed on as a reason. */
const unheeded = {
  effect: 'allow',
  message: 'Bears on this action, but reads like an order to whoever reads it: evidence without force.',
} satisfies Partial<Reason>;
