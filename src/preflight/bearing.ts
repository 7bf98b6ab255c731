import type { Action } from './action.ts';
import type { ActionWords } from './action-words.ts';
import { meets } from './amounts.ts';
import { isExclusiveAct, isHarmlessAct, isPale, isVagueAct, opposeActs, ruledOut, conceptsOf } from './lexicon.ts';
import { isPath, matchName, type NameMatch } from './names.ts';
import { matchPaths } from './conditions.ts';
import { anywhere } from './names.ts';
import type { Norm, Part, Phrase } from './reading.ts';
import { partsOf, type Token } from './tokens.ts';
import { inSpan } from './weekdays.ts';

/** How far one norm fits an action. */
export interface Bearing {
  /** 0..1: how much of what the norm is about the action says or does. */
  fit: number;
  /** Names that the norm quotes and the action names. */
  names: readonly NameMatch[];
  /** Why it does not apply, however well it fits. */
  excused: string | undefined;
}

export function bearingOf(norm: Norm, action: Action, words: ActionWords, now: Date | undefined): Bearing {
  const names = norm.names.flatMap((name) => matchName(name, action, words) ?? []);
  return { fit: fitOf(norm, action, words, names), names, excused: excuse(norm, action, words, names, now) };
}

function fitOf(norm: Norm, action: Action, words: ActionWords, names: readonly NameMatch[]): number {
  let weight = 0;
  let sum = 0;
  const add = (part: number, of: number) => {
    weight += of;
    sum += part * of;
  };
  if (norm.acts.length > 0) add(doesAct(norm, words) ? 1 : 0, norm.acts.every(isVagueAct) ? 0.4 : 1);
  const duty = norm.required !== undefined;
  for (const phrase of norm.phrases) {
    const named = phrase.some((one) => one.some(({ is }) => is === 'name'));
    // What a duty asks for is missing by nature.
    if (duty && named) continue;
    add(coverage(phrase, words, names), phraseWeight(phrase, named));
  }
  for (const limit of norm.limits) if (meets(limit, words.amounts)) add(1, 1);
  for (const _ of norm.spans) add(1, 1);
  if (norm.universal) add(1, 0.5);
  return weight === 0 ? 0 : sum / weight;
}

function doesAct(norm: Norm, { acts }: ActionWords): boolean {
  return norm.acts.some((act) => acts.has(act));
}

function phraseWeight(phrase: Phrase, named: boolean): number {
  if (named) return 1.5;
  return phrase.every((one) => one.every((token) => isPale(token.stem))) ? 0.3 : 1;
}

function coverage(phrase: Phrase, words: ActionWords, names: readonly NameMatch[]): number {
  return Math.max(...phrase.map((one) => shareOf(one, words, names)));
}

/** The share of an alternative's words that the action says. */
function shareOf(tokens: readonly Token[], words: ActionWords, names: readonly NameMatch[]): number {
  let weight = 0;
  let sum = 0;
  for (const token of tokens) {
    if (token.is === 'name') {
      weight += 2;
      if (names.some(({ name }) => name === token.text)) sum += 2;
      continue;
    }
    const of = isPale(token.stem) ? 0.4 : 1;
    weight += of;
    sum += of * says(token, words);
  }
  return weight === 0 ? 0 : sum / weight;
}

/** 1 when the action says it, a half when only its paths do, 0 when not. */
function says(token: Token, { said, filed }: ActionWords): number {
  if (ruledOut(token.stem, said)) return 0;
  const has = (set: ReadonlySet<string>) => conceptsOf(token.stem).some((concept) => set.has(concept)) || (token.parts.length > 1 && token.parts.slice(0, -1).every((part) => conceptsOf(part).some((concept) => set.has(concept))));
  return has(said) ? 1 : has(filed) ? 0.5 : 0;
}

function excuse(norm: Norm, action: Action, words: ActionWords, names: readonly NameMatch[], now: Date | undefined): string | undefined {
  for (const part of norm.exceptions) if (isMet(part, action, words, 0.3)) return `excepted: ${part.text}`;
  for (const part of norm.provisos) if (isMet(part, action, words, 0.75)) return `provided: ${part.text}`;
  if (norm.required && isMet(norm.required, action, words, 0.5)) return `done: ${norm.required.text}`;
  for (const limit of norm.limits) {
    const met = meets(limit, words.amounts);
    // What a duty demands excuses when it is met; what a prohibition bounds when it is not.
    if (met !== undefined && met === (norm.required !== undefined)) return `within the bound: ${limit.text}`;
  }
  for (const span of norm.spans) if (inSpan(span, words.summary, now) === false) return `outside of: ${span.text}`;
  if (!norm.required && norm.names.length > 0 && names.length === 0 && !namedByAct(norm, words)) return `does not name ${norm.names.join(', ')}`;
  return excuseByAct(norm, words);
}

/** "Add the held-out shards to the training mixture" names `data/heldout/` well enough where the act fits. */
function namedByAct(norm: Norm, words: ActionWords): boolean {
  if (!doesAct(norm, words) || norm.acts.every(isVagueAct)) {
    if (!norm.acts.some((act) => words.said.has(act) || words.said.has(`!${act}`)) || norm.acts.every(isVagueAct)) return false;
  }
  return norm.names.some((name) => {
    const base = partsOf(name.replace(/\/$/, '').split('/').at(-1) ?? '').at(-1);
    return isPath(name) && base !== undefined && words.said.has(base);
  });
}

function excuseByAct(norm: Norm, words: ActionWords): string | undefined {
  if (norm.acts.length === 0 || doesAct(norm, words)) return undefined;
  const acts = [...words.acts];
  if (norm.acts.every((act) => acts.some((other) => opposeActs(act, other)))) return 'does the opposite';
  if (norm.acts.every(isExclusiveAct) && !norm.acts.some((act) => words.said.has(`!${act}`))) return `does not ${norm.acts.join(' or ')}`;
  if (acts.length > 0 && acts.every((act) => isHarmlessAct(act) || act === 'run') && !norm.acts.every(isHarmlessAct)) return 'only looks';
  return undefined;
}

/** Whether the action says that a condition holds. Quoted paths must cover all its files, other quoted names must be named. */
function isMet(part: Part, action: Action, words: ActionWords, enough: number): boolean {
  const paths = part.names.filter(isPath);
  if (paths.length > 0 && action.files.length > 0) {
    const covered = matchPaths(paths.flatMap(anywhere), action.files).length;
    if (/\badd\b|\bupdate\b|\bline\b/i.test(part.text)) return covered > 0;
    return covered === action.files.length;
  }
  if (part.names.length > 0) return part.names.some((name) => matchName(name, action, words) !== undefined && !words.denied.has(partsOf(name).at(-1) ?? ''));
  const tokens = part.tokens.filter((token) => !isPale(token.stem));
  if (tokens.length === 0) return false;
  return tokens.reduce((sum, token) => sum + says(token, words), 0) / tokens.length >= enough;
}
