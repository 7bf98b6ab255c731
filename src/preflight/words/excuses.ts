import type { Action } from '../action.ts';
import { matchPaths } from '../conditions.ts';
import type { ActionWords } from './action-words.ts';
import { meets } from './amounts.ts';
import { actsOf, conceptsOf, isChangingAct, isExclusiveAct, isHarmlessAct, isLexiconAct, opposeActs, ruledOut } from './lexicon.ts';
import { anywhere, isPath, matchName, type NameMatch } from './names.ts';
import type { Part } from './phrases.ts';
import type { Norm } from './reading.ts';
import { baseOf, doesAct, saysBase, shareSaid } from './said.ts';
import { partsOf } from './tokens.ts';
import { inSpan } from './weekdays.ts';

/** What a norm was found to have in common with an action, and when. */
export interface Found {
  names: readonly NameMatch[];
  half: boolean;
  now: Date | undefined;
}

/** Why a norm does not bear on an action, however well its words fit; undefined when nothing speaks against it. */
export function excuse(norm: Norm, action: Action, words: ActionWords, { names, half, now }: Found): string | undefined {
  for (const part of norm.exceptions) if (isMet(part, action, words, 0.3)) return `it excepts ${part.text}`;
  for (const part of norm.provisos) if (isMet(part, action, words, 0.75, true)) return `the action has what it wants: ${part.text}`;
  if (norm.required) {
    const done = dutyDone(norm, norm.required, action, words);
    if (done !== undefined) return done;
  }
  for (const limit of norm.limits) {
    const met = meets(limit, words.amounts);
    // What a duty demands excuses when it is met; what a prohibition bounds when it is not.
    if (met !== undefined && met === (norm.required !== undefined || norm.force === 'state')) return `the action keeps to ${limit.text}`;
  }
  for (const span of norm.spans) if (inSpan(span, words.summary, now) === false) return `it is about another time: ${span.text}`;
  if (norm.force === 'state') return undefined;
  const unnamed = norm.names.length > 0 && names.length === 0 ? `the action does not name ${norm.names.join(', ')}` : undefined;
  if (norm.required) return (norm.asksForItself || action.files.length === 0 ? undefined : unnamed) ?? excuseByAct(norm, words);
  if (unnamed !== undefined && !half) return unnamed;
  if (contradicts(norm, words)) return 'the action says the opposite';
  if (words.writesAbout && !names.some(({ paths }) => paths) && !isAboutTexts(norm) && !norm.acts.some(isHarmlessAct))
    return 'the action only looks or writes about it';
  return excuseByAct(norm, words);
}

function dutyDone(norm: Norm, required: Part, action: Action, words: ActionWords): string | undefined {
  const done = isWithout(required) ? required.tokens.some(({ stem }) => words.denied.has(stem)) : !isBroken(norm, words) && isMet(required, action, words, 0.6);
  if (done) return `the action does what it asks for: ${required.text}`;
  return required.names.length > 0 && required.names.every(isPath) && action.files.length === 0 ? 'the action names no files' : undefined;
}

/** The action says that it leaves a duty undone. */
export function isBroken(norm: Norm, words: ActionWords): boolean {
  if (norm.force === 'state') return norm.limits.some((limit) => meets(limit, words.amounts) === false);
  const { required, avoided } = norm;
  if (!required) return false;
  if (norm.limits.some((limit) => meets(limit, words.amounts) === false)) return true;
  if (avoided && shareSaid(avoided, words) >= 0.6) return true;
  return !isWithout(required) && required.tokens.some((token) => words.denied.has(token.stem) || ruledOut(token.stem, words.raw));
}

function isWithout({ text }: Part): boolean {
  return /^without\b/i.test(text);
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

function excuseByAct(norm: Norm, words: ActionWords): string | undefined {
  if (norm.acts.length === 0) return undefined;
  const object = norm.phrases[0]?.flat() ?? [];
  if (
    norm.acts.some((act) => act === 'add' || act === 'use' || act === 'enable') &&
    object.length > 0 &&
    object.some((token) => words.replaced.has(token.stem))
  )
    return 'the action replaces it';
  if (doesAct(norm, words)) return undefined;
  if (norm.phrases.length === 0 && norm.limits.length === 0) return `the action does something else`;
  const acts = [...words.acts].filter(isLexiconAct);
  if (norm.acts.every((act) => acts.some((other) => opposeActs(act, other)))) return 'the action does the opposite';
  if (norm.acts.every(isExclusiveAct) && !norm.acts.some((act) => words.said.has(`!${act}`))) return `the action does something else`;
  if (acts.length > 0 && acts.every((act) => !isChangingAct(act)) && norm.acts.every(isChangingAct) && !norm.required) return 'the action only looks';
  return undefined;
}

/** Whether the action says that a condition holds. Quoted paths must cover all its files, other quoted names must be named. */
function isMet(part: Part, action: Action, words: ActionWords, enough: number, whole = false): boolean {
  const paths = part.names.filter(isPath);
  if (paths.length > 0 && action.files.length > 0) {
    const covered = matchPaths(paths.flatMap(anywhere), action.files).length;
    if (/\badd\b|\bupdate\b|\bline\b/i.test(part.text)) return covered > 0;
    return covered === action.files.length;
  }
  if (part.names.length > 0) return part.names.some((name) => matchName(name, action, words) !== undefined && !words.denied.has(partsOf(name).at(-1) ?? ''));
  return shareSaid(part, words, whole) >= enough;
}

/** Whether the action goes another way that a policy names. */
export function goesBy(aside: Part, norm: Norm, action: Action, words: ActionWords): boolean {
  return aside.names
    .filter((name) => isPath(name) || name.startsWith('-'))
    .some((name) => matchName(name, action, words) !== undefined || (isPath(name) && saysBase(name, words) && !speaksOf(norm, baseOf(name))));
}

function speaksOf(norm: Norm, base: string | undefined): boolean {
  return base === undefined || norm.text.toLowerCase().includes(base) || actsOf(base).some((act) => norm.acts.includes(act));
}
