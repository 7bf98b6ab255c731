import type { Action } from '../action.ts';
import type { ActionWords } from './action-words.ts';
import { meets } from './amounts.ts';
import { excuse, isBroken } from './excuses.ts';
import { isPale, isQualifier, isVagueAct, ruledOut } from './lexicon.ts';
import { isPath, matchName, type NameMatch } from './names.ts';
import type { Phrase } from './phrases.ts';
import type { Norm } from './reading.ts';
import { actShare, says, saysBase } from './said.ts';
import type { Token } from './tokens.ts';

/** How far one norm fits an action. */
export interface Bearing {
  /** 0..1: how much of what the norm is about the action says or does. */
  fit: number;
  /** Names that the norm quotes and the action names. */
  names: readonly NameMatch[];
  /** The action says that it leaves a duty undone. */
  broken: boolean;
  /** Why it does not apply, however well it fits. */
  excused: string | undefined;
  /** The words do not speak of what the act is done to: tells something only of an action that says enough about itself. */
  elsewhere: boolean;
}

export function bearingOf(norm: Norm, action: Action, words: ActionWords, now: Date | undefined): Bearing {
  const commandDecides = norm.acts.some((act) => words.commandActs.has(act) && !isVagueAct(act));
  const names = norm.names.flatMap((name) => matchName(name, action, words, commandDecides) ?? []);
  const half = halfNamed(norm, words);
  const fit = fitOf(norm, words, [...names, ...half]);
  return {
    fit,
    names,
    broken: isBroken(norm, words),
    excused: excuse(norm, action, words, { names, half: half.length > 0, now }),
    elsewhere: isElsewhere(norm, words, names, half.length > 0),
  };
}

/** Later phrases say where and how: less than what. */
const laterWeight = 0.7;

function fitOf(norm: Norm, words: ActionWords, names: readonly NameMatch[]): number {
  let weight = 0;
  let sum = 0;
  const add = (part: number, of: number) => {
    weight += of;
    sum += part * of;
  };
  if (norm.acts.length > 0) add(actShare(norm, words), norm.acts.every(isVagueAct) ? 0.4 : 1);
  for (const [at, phrase] of norm.phrases.entries()) {
    const named = isNamed(phrase);
    // What a duty asks for is missing by nature.
    if (named && norm.asksForItself) continue;
    add(coverage(norm, phrase, words, names), named ? 1.5 : (isPalePhrase(phrase) ? 0.3 : 1) * (at === 0 ? 1 : laterWeight));
  }
  if (norm.force === 'tell') {
    // What was missing is what a lesson is about, too; it need not be said again.
    for (const { tokens } of norm.provisos) {
      const share = shareOf(norm, tokens, words, names);
      if (share > 0 || weight < laterWeight) add(share, laterWeight);
    }
  }
  for (const limit of norm.limits) if (meets(limit, words.amounts)) add(1, 1);
  for (const _ of norm.spans) add(1, 1);
  if (norm.universal) add(1, 0.5);
  // "Do not paraphrase it": what "it" is the clause does not say.
  else if (norm.phrases.length === 0 && norm.limits.length === 0 && norm.spans.length === 0) add(0, laterWeight);
  if (weight === 0) return norm.required ? 0.5 : 0;
  return sum / weight;
}

function isNamed(phrase: Phrase): boolean {
  return phrase.some((one) => one.some(({ is }) => is === 'name'));
}

function isPalePhrase(phrase: Phrase): boolean {
  return phrase.every((one) => one.every((token) => isPale(token.stem)));
}

/** Of alternatives the best counts; what a lesson joins by "and" happened together. */
function coverage(norm: Norm, phrase: Phrase, words: ActionWords, names: readonly NameMatch[]): number {
  const shares = phrase.map((one) => shareOf(norm, one, words, names));
  return norm.force === 'tell' ? shares.reduce((sum, share) => sum + share, 0) / shares.length : Math.max(...shares);
}

/** The share of an alternative's words that the action says. */
function shareOf(norm: Norm, tokens: readonly Token[], words: ActionWords, names: readonly NameMatch[]): number {
  let weight = 0;
  let sum = 0;
  for (const token of tokens) {
    if (token.is === 'name') {
      weight += 2;
      if (names.some(({ name }) => name === token.text)) sum += 2;
      continue;
    }
    const of = isPale(token.stem) ? 0.4 : isQualifier(token.stem) ? 0.3 : /ed$/.test(token.text) ? 0.5 : 1;
    weight += of;
    sum += of * (missing(norm, token, words) ? 1 : says(token, words));
  }
  return weight === 0 ? 0 : sum / weight;
}

/** What a lesson tells was missing is missing again where its opposite is said, and what has to come first where it is denied. */
function missing({ force }: Norm, token: Token, words: ActionWords): boolean {
  return (force === 'tell' && ruledOut(token.stem, words.raw)) || (force === 'ask' && words.denied.has(token.stem));
}

/** "Add the held-out shards to the training mixture" half names `data/heldout/`, as the act is one that the policy is about. */
function halfNamed(norm: Norm, words: ActionWords): NameMatch[] {
  if (norm.acts.length === 0 || norm.acts.every(isVagueAct) || actShare(norm, words) === 0) return [];
  return norm.names.filter((name) => isPath(name) && saysBase(name, words)).map((name) => ({ name }));
}

/** The act fits, but what it is done to, or where, does not. */
function isElsewhere(norm: Norm, words: ActionWords, names: readonly NameMatch[], half: boolean): boolean {
  if (norm.required || norm.force === 'state' || norm.force === 'tell' || norm.force === 'permit' || half) return false;
  const lacks = (at: number, most: number) => {
    const phrase = norm.phrases[at];
    return phrase !== undefined && !isPalePhrase(phrase) && coverage(norm, phrase, words, names) <= most;
  };
  return lacks(norm.object, 0.5) || (words.told && norm.places.some((at) => lacks(at, 0)));
}
