import { type Effect, effects, type Memory } from '../memory/memory.ts';
import type { Action } from './action.ts';
import { type Matched, matchRule } from './conditions.ts';
import { actionWords } from './words/action-words.ts';
import { type Seen, weigh } from './words/weigh.ts';

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

/** `considered`: close to the action, and why it does not bear on it. */
export type ReasonCode =
  | 'rule_matched'
  | 'policy_applies'
  | 'lesson_applies'
  | 'considered'
  | 'approved'
  | 'rejected'
  | 'earlier_failure'
  | 'recall_degraded'
  | 'no_policy';

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
  /** The moment of the check, for policies about days of the week. */
  now?: Date | undefined;
}

/** Policies that are close to the action but do not bear on it are named too, as long as no more than this is cited. */
const mostConsidered = 3;
/** Share of the threshold from which on a policy is close. */
const nearEnough = 0.4;

/** Facts in, advice out: the most severe effect wins, whatever is more specific. */
export function judge({ action, evidence, precedents, degraded, relevanceThreshold, now }: Facts): Judgement {
  const seen = { action, words: actionWords(action), now, threshold: relevanceThreshold };
  const found = evidence.flatMap((one) => reasonFrom(one, seen) ?? []);
  const bearing = applyDecision(
    found.filter(({ code }) => code !== 'considered'),
    precedents,
  );
  const reasons = [...bearing, ...earlierFailure(precedents), ...degradation(degraded)];
  if (reasons.length === 0) reasons.push({ effect: 'allow', code: 'no_policy', message: 'No policy or lesson bears on this action.', matched: {} });
  reasons.sort(bySeverity);
  const close = found.filter(({ code, matched }) => code === 'considered' && (matched.relevance ?? 0) >= relevanceThreshold * nearEnough).sort(bySeverity);
  const cited = reasons.filter(({ citation }) => citation !== undefined).length;
  return { verdict: mostSevere(reasons.map(({ effect }) => effect)), reasons: [...reasons, ...close.slice(0, Math.max(0, mostConsidered - cited))] };
}

function bySeverity(a: Reason, b: Reason): number {
  return severity(b.effect) - severity(a.effect) || certainty(b) - certainty(a) || (b.matched.relevance ?? 0) - (a.matched.relevance ?? 0);
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

function reasonFrom(evidence: Evidence, seen: Seen): Reason | undefined {
  const { memory } = evidence;
  const reason = memory.rule ? fromRule(memory, memory.rule, evidence.relevance, seen.action) : fromWords(evidence, seen);
  if (!reason || memory.kind === 'policy' || reason.code === 'considered') return reason;
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

function fromWords({ memory, relevance }: Evidence, seen: Seen): Reason {
  const { effect, cue, paths, why } = weigh(memory.content, memory.kind === 'lesson' ? 'lesson' : 'policy', relevance, seen);
  const reason = { effect, citation: memory.id, matched: { ...(paths.length > 0 && { paths: [...paths] }), relevance } };
  if (why !== undefined) return { ...reason, code: 'considered', message: `Close to this action, but does not bear on it: ${why}.` };
  return { ...reason, code: 'policy_applies', message: `Bears on this action; read as ${effect}${cue === undefined ? '' : `: "${cue}"`}.` };
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
