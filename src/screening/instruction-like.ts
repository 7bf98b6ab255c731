import { hasHiddenMarks } from './hidden-marks.ts';
import { hasLookAlikes } from './look-alikes.ts';
import { type Found, findPhrases, indexPhrases } from './phrase-match.ts';
import { aboutAttacks, phrases, quotes, unpartedOrders } from './phrases.ts';
import { decodePayloads, toPlainText } from './plain-text.ts';
import { findRoleMarks } from './role-marks.ts';
import { readTokens, type Token } from './sentences.ts';

export type Flag = 'instruction_like';

/** Signs add up within so many sentences. */
const nearby = 3;
const enough = 2;

const index = indexPhrases(phrases);

/**
 * Marks a text that gives orders to the agent that reads it, or hides something from people who do. A mark, not a refusal: the text is
 * evidence all the same, and who obeys phrases is not helped by a list of them.
 */
export function readFlags(text: string): Flag[] {
  const payload = decodePayloads(text);
  return hasHiddenMarks(text) || hasLookAlikes(text) || givesOrders(text) || (payload !== '' && givesOrders(payload)) ? ['instruction_like'] : [];
}

function givesOrders(text: string): boolean {
  const plain = toPlainText(text);
  if (unpartedOrders.test(plain)) return true;
  const tokens = readTokens(plain).map((token) => ({ ...token, word: readFigures(token.word) }));
  const told = readTelling(tokens);
  const signs: Sighting[] = findRoleMarks(plain).map(({ weight, sign }) => ({ weight, sign, sentence: undefined }));
  for (const found of findPhrases(tokens, index)) {
    if (!isNegated(found, tokens) && !isReported(found, tokens, told)) {
      signs.push({ weight: found.phrase.weight, sign: found.phrase.sign, sentence: tokens[found.from]?.sentence });
    }
  }
  return signs.some(({ weight }) => weight >= enough) || addUp(signs);
}

interface Sighting {
  weight: number;
  sign: string;
  /** Undefined: holds for the whole text. */
  sentence: number | undefined;
}

/** Whether different signs stand close enough together. Each weighs 1 here. */
function addUp(signs: readonly Sighting[]): boolean {
  const latest = new Map<string, number>();
  for (const { sign, sentence } of signs) {
    for (const [other, where] of latest) {
      if (other !== sign && (sentence === undefined || sentence - where < nearby)) return true;
    }
    latest.set(sign, sentence ?? Number.POSITIVE_INFINITY);
  }
  return false;
}

/** `1gn0re`: figures inside a word that would be one of ours with letters in their place. */
function readFigures(word: string): string {
  if (!/[a-z]/.test(word) || !/[013457]/.test(word)) return word;
  const read = word.replaceAll(/[013457]/g, (figure) => letterFor[figure] ?? figure);
  return vocabulary.has(read) ? read : word;
}

const letterFor: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };
const vocabulary = new Set(phrases.flatMap(({ slots }) => slots.flatMap(({ words }) => [...words])));

function isNegated({ phrase, from }: Found, tokens: readonly Token[]): boolean {
  if (!negatable.has(phrase.sign)) return false;
  for (let at = from - 1; at >= from - 5; at--) {
    const word = tokens[at]?.word;
    if (word === undefined || word === '' || unhesitating.has(word)) return false;
    if (negations.has(word)) return true;
  }
  return false;
}

const negatable = new Set(['override', 'duty', 'danger', 'exfiltrate', 'persona', 'encoded', 'unasked', 'steer', 'order']);
const negations = new Set(['not', 'never', 'cannot', 'nor', 'nobody', 'none']);
const unhesitating = new Set(['hesitate', 'fail', 'forget', 'worry', 'only']);

/** For each sentence: whether its own words speak about attacks, or lead up to a quotation. */
interface Telling {
  about: ReadonlySet<number>;
  quoting: ReadonlySet<number>;
}

function readTelling(tokens: readonly Token[]): Telling {
  const about = new Set<number>();
  const quoting = new Set<number>();
  for (const { word, sentence, quoted } of tokens) {
    if (quoted) continue;
    if (aboutAttacks.has(word)) about.add(sentence);
    if (quotes.has(word)) quoting.add(sentence);
  }
  return { about, quoting };
}

/** A phrase in quotation marks that the sentence speaks about, or one that it says an attacker's text may hold. */
function isReported({ from, to }: Found, tokens: readonly Token[], { about, quoting }: Telling): boolean {
  const sentence = tokens[from]?.sentence ?? 0;
  const quoted = tokens[from]?.quoted === true && tokens[to]?.quoted !== false;
  if (quoted) return [sentence, sentence - 1].some((near) => about.has(near) || quoting.has(near));
  if (!about.has(sentence)) return false;
  return tokens.slice(Math.max(0, from - 4), from).some(({ word }) => reporting.has(word));
}

const reporting = new Set([
  'to',
  'that',
  'may',
  'might',
  'can',
  'could',
  'would',
  'who',
  'which',
  'how',
  'attackers',
  'attacker',
  'often',
  'tells',
  'asks',
  'claims',
  'type',
  'types',
]);
