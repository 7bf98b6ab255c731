import type { Action } from './action.ts';
import type { ActionWords } from './action-words.ts';
import { meets } from './amounts.ts';
import { matchPaths } from './conditions.ts';
import { actsOf, conceptsOf, isExclusiveAct, isHarmlessAct, isLexiconAct, isPale, isQualifier, isVagueAct, opposeActs, ruledOut } from './lexicon.ts';
import { anywhere, isPath, matchName, type NameMatch } from './names.ts';
import type { Norm, Part, Phrase } from './reading.ts';
import { partsOf, type Token } from './tokens.ts';
import { inSpan } from './weekdays.ts';

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
    excused: excuse(norm, action, words, names, half.length > 0, now),
    elsewhere: lacksObject(norm, words, names, half.length > 0),
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
  for (const limit of norm.limits) if (meets(limit, words.amounts)) add(1, 1);
  for (const _ of norm.spans) add(1, 1);
  if (norm.universal) add(1, 0.5);
  if (weight === 0) return norm.required ? 0.5 : 0;
  return sum / weight;
}

function isNamed(phrase: Phrase): boolean {
  return phrase.some((one) => one.some(({ is }) => is === 'name'));
}

function isPalePhrase(phrase: Phrase): boolean {
  return phrase.every((one) => one.every((token) => isPale(token.stem)));
}

/** Done for certain, or at least spoken of. */
function actShare(norm: Norm, words: ActionWords): number {
  if (doesAct(norm, words)) return 1;
  return norm.acts.some((act) => words.said.has(act) || words.said.has(`!${act}`)) ? 0.7 : 0;
}

function doesAct(norm: Norm, { acts }: ActionWords): boolean {
  return norm.acts.some((act) => acts.has(act));
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
    // What a lesson tells was missing is missing again where its opposite is said.
    sum += of * (norm.force === 'tell' && ruledOut(token.stem, words.raw) ? 1 : says(token, words));
  }
  return weight === 0 ? 0 : sum / weight;
}

/** 1 when the action says it, a half when only its paths do, 0 when not. */
function says(token: Token, { said, filed }: ActionWords): number {
  const has = (set: ReadonlySet<string>) => {
    const whole = conceptsOf(token.stem).some((concept) => set.has(concept));
    const parts = token.parts.filter((part) => part !== token.stem);
    return whole || (parts.length > 1 && parts.every((part) => conceptsOf(part).some((concept) => set.has(concept))));
  };
  return has(said) ? 1 : has(filed) ? 0.5 : 0;
}

/** "Add the held-out shards to the training mixture" half names `data/heldout/`, as the act is one that the policy is about. */
function halfNamed(norm: Norm, words: ActionWords): NameMatch[] {
  if (norm.acts.length === 0 || norm.acts.every(isVagueAct) || actShare(norm, words) === 0) return [];
  return norm.names.filter((name) => isPath(name) && saysBase(name, words)).map((name) => ({ name }));
}

function saysBase(path: string, { said }: ActionWords): boolean {
  const base = (
    path
      .replace(/[/*]+$/, '')
      .split('/')
      .at(-1) ?? ''
  ).replace(/\.\w+$/, '');
  const last = partsOf(base).at(-1);
  return last !== undefined && last.length > 2 && said.has(last);
}

function isBroken(norm: Norm, words: ActionWords): boolean {
  const { required } = norm;
  if (!required) return false;
  if (norm.avoided && shareSaid(norm.avoided, words) >= 0.6) return true;
  return required.tokens.some((token) => words.denied.has(token.stem) || ruledOut(token.stem, words.raw)) && !/^without\b/i.test(required.text);
}

function excuse(norm: Norm, action: Action, words: ActionWords, names: readonly NameMatch[], half: boolean, now: Date | undefined): string | undefined {
  for (const part of norm.exceptions) if (isMet(part, action, words, 0.3)) return `excepted: ${part.text}`;
  for (const part of norm.provisos) if (isMet(part, action, words, 0.75)) return `provided: ${part.text}`;
  if (norm.required) {
    const { required } = norm;
    const done = /^without\b/i.test(required.text)
      ? required.tokens.some((token) => words.denied.has(token.stem))
      : !isBroken(norm, words) && isMet(required, action, words, 0.6);
    if (done) return `done: ${required.text}`;
    if (required.names.length > 0 && required.names.every(isPath) && action.files.length === 0) return 'changes no file';
  }
  for (const limit of norm.limits) {
    const met = meets(limit, words.amounts);
    // What a duty demands excuses when it is met; what a prohibition bounds when it is not.
    if (met !== undefined && met === (norm.required !== undefined)) return `within the bound: ${limit.text}`;
  }
  for (const span of norm.spans) if (inSpan(span, words.summary, now) === false) return `outside of: ${span.text}`;
  if (norm.required)
    return (
      (norm.names.length > 0 && names.length === 0 && !norm.asksForItself && action.files.length > 0 ? `does not name ${norm.names.join(', ')}` : undefined) ??
      excuseByAct(norm, words)
    );
  if (norm.names.length > 0 && names.length === 0 && !half) return `does not name ${norm.names.join(', ')}`;
  if (contradicts(norm, words)) return 'says the opposite';
  if (words.writesAbout && !names.some(({ paths }) => paths) && !isAboutTexts(norm) && !norm.acts.some(isHarmlessAct)) return 'writes about it';
  return excuseByAct(norm, words);
}

/** "somebody else works on" and "nobody else uses"; "new" and "already". */
function contradicts({ qualifiers }: Norm, words: ActionWords): boolean {
  return qualifiers.some(
    (qualifier) => !words.raw.has(qualifier) && !conceptsOf(qualifier).some((concept) => words.said.has(concept)) && ruledOut(qualifier, words.raw),
  );
}

function isAboutTexts({ text }: Norm): boolean {
  return /\b(?:doc(?:s|umentation|ument\w*)?|tutorials?|pages?|readme|guides?|texts?|sentences?|wording|prose|typos?|comments?|change ?logs?|articles?|posts?|writ\w+|spelling|headings?|links?|images?|screenshots?|references?|mention)\b/i.test(
    text,
  );
}

/** The act fits, but what it is done to does not. */
function lacksObject(norm: Norm, words: ActionWords, names: readonly NameMatch[], half: boolean): boolean {
  const object = norm.phrases[norm.object];
  if (!object || norm.required || norm.force === 'tell' || norm.force === 'permit' || half || isPalePhrase(object)) return false;
  return coverage(norm, object, words, names) <= 0.5;
}

function excuseByAct(norm: Norm, words: ActionWords): string | undefined {
  if (norm.acts.length === 0) return undefined;
  const object = norm.phrases[0]?.flat() ?? [];
  if (
    norm.acts.some((act) => act === 'add' || act === 'use' || act === 'enable') &&
    object.length > 0 &&
    object.some((token) => words.replaced.has(token.stem))
  )
    return 'replaces it';
  if (doesAct(norm, words)) return undefined;
  if (norm.phrases.length === 0 && norm.limits.length === 0) return `does not ${norm.acts.join(' or ')}`;
  const acts = [...words.acts].filter(isLexiconAct);
  if (norm.acts.every((act) => acts.some((other) => opposeActs(act, other)))) return 'does the opposite';
  if (norm.acts.every(isExclusiveAct) && !norm.acts.some((act) => words.said.has(`!${act}`))) return `does not ${norm.acts.join(' or ')}`;
  if (acts.length > 0 && acts.every((act) => isHarmlessAct(act) || act === 'run') && !norm.acts.every(isHarmlessAct) && !norm.required) return 'only looks';
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
  return shareSaid(part, words) >= enough;
}

function shareSaid(part: Part, words: ActionWords): number {
  const solid = part.tokens.filter((token) => !isPale(token.stem));
  // "be written in TypeScript": the language counts, not that something is written.
  const things = solid.filter((token) => actsOf(token.stem).length === 0);
  const tokens = things.length > 0 ? things : solid;
  if (tokens.length === 0) return 0;
  return tokens.reduce((sum, token) => sum + (ruledOut(token.stem, words.raw) ? 0 : says(token, words)), 0) / tokens.length;
}

/** Whether the action goes another way that a policy names. */
export function goesBy(aside: Part, action: Action, words: ActionWords): boolean {
  return aside.names
    .filter((name) => isPath(name) || name.startsWith('-'))
    .some((name) => matchName(name, action, words) !== undefined || (isPath(name) && saysBase(name, words)));
}
