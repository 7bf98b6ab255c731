import { type Effect, effects, type Memory } from '../memory/memory.ts';
import type { Action } from './action.ts';
import { type ActionWords, actionWords } from './action-words.ts';
import { type Bearing, bearingOf, goesBy } from './bearing.ts';
import { type Matched, matchRule } from './conditions.ts';
import { type Norm, read } from './reading.ts';

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
  /** The moment of the check, for policies about days of the week. */
  now?: Date | undefined;
}

/** What policies in words are held against. */
interface Reader {
  action: Action;
  words: ActionWords;
  now: Date | undefined;
  threshold: number;
}

/** Facts in, advice out: the most severe effect wins, whatever is more specific. */
export function judge({ action, evidence, precedents, degraded, relevanceThreshold, now }: Facts): Judgement {
  const reader = { action, words: actionWords(action), now, threshold: relevanceThreshold };
  const found = evidence.flatMap(({ memory, relevance }) => reasonFrom(memory, relevance, reader) ?? []);
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

function reasonFrom(memory: Memory, relevance: number, reader: Reader): Reason | undefined {
  const reason = memory.rule ? fromRule(memory, memory.rule, relevance, reader.action) : fromWords(memory, relevance, reader);
  if (!reason || memory.kind === 'policy') return reason;
  // A lesson advises; it never outranks a policy.
  return { ...reason, effect: severity(reason.effect) > severity('warn') ? 'warn' : reason.effect, code: 'lesson_applies' };
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

/** How the hybrid score and the fit of the words weigh together; chosen on the labelled sets under bench/data and on agent-rules (dev). */
const weights = { relevance: 1, fit: 0.5, halfFit: 0.5, named: 0.15, broken: 0.15, kept: -0.25, elsewhere: -0.1, untold: 0.15 };
/** Less than this of a norm's words is a mere likeness, when the action says enough about itself. */
const leastFit = { forbid: 0.55, ask: 0.5, tell: 0.5, discourage: 0.5, oblige: 0, permit: 0 };

function fromWords(memory: Memory, relevance: number, { action, words, now, threshold }: Reader): Reason | undefined {
  const { norms, asides } = read(memory.content, memory.kind === 'lesson' ? 'lesson' : 'policy');
  const weighed = norms.map((norm) => {
    const bearing = bearingOf(norm, action, words, now);
    return { norm, bearing, score: scoreOf(norm, bearing, relevance, action) };
  });
  const permit = Math.max(
    0,
    ...weighed.filter(({ norm, bearing }) => norm.force === 'permit' && !bearing.excused).map(({ bearing }) => bearing.fit + bearing.names.length),
  );
  const [best] = weighed
    .filter(({ norm, bearing, score }) => norm.force !== 'permit' && !bearing.excused && score >= threshold)
    .filter(({ bearing }) => !(permit > 0.7 && permit >= bearing.fit + bearing.names.length))
    .sort((a, b) => severity(b.norm.effect) - severity(a.norm.effect) || b.score - a.score);
  if (!best || (best.bearing.names.length === 0 && asides.some((aside) => goesBy(aside, action, words)))) return undefined;
  const { norm, bearing } = best;
  const paths = bearing.names.flatMap((match) => match.paths ?? []);
  return {
    effect: norm.effect,
    code: 'policy_applies',
    message: `Bears on this action; read as ${norm.effect}${norm.cue === undefined ? '' : `: "${norm.cue}"`}.`,
    citation: memory.id,
    matched: { ...(paths.length > 0 && { paths }), relevance },
  };
}

/** An action that names neither files nor a command leaves only its summary to judge by: then likeness counts for more. */
function scoreOf(norm: Norm, { fit, names, broken, elsewhere }: Bearing, relevance: number, action: Action): number {
  const told = action.files.length > 0 || action.command !== undefined;
  if (told && (elsewhere || fit < leastFit[norm.force])) return 0;
  const duty = norm.required !== undefined;
  return (
    weights.relevance * relevance +
    weights.fit * (fit - weights.halfFit) +
    (names.length > 0 && !duty ? weights.named : 0) +
    (broken ? weights.broken : 0) +
    (duty && !broken ? weights.kept : 0) +
    (elsewhere ? weights.elsewhere : 0) +
    (told ? 0 : weights.untold)
  );
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
