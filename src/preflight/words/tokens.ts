import { splitHumps } from '../../ranking/words.ts';
import { stem } from './lexicon.ts';

/** A word, a name that is meant literally, or a mark of punctuation. */
export interface Token {
  is: 'word' | 'name' | 'mark';
  text: string;
  /** Stem of the word as a whole. */
  stem: string;
  /** Stems of its parts: `LocalDateTime` → local, date, time. */
  parts: readonly string[];
}

const pattern = /`([^`]+)`|((?:--|[@#~$€£.\-/*])?[\p{L}\p{N}_](?:[\p{L}\p{N}_'’./:@#+*-]*[\p{L}\p{N}_*/])?%?)|([^\s])/gu;

/** Two words that stand for one thing, and not for what the first means by itself. */
const pairs: readonly (readonly [RegExp, string])[] = [
  [/\b(?:pull|merge) (request(?:s|ed)?)\b|\bPRs?\b/gi, 'pull-request'],
  [/\bthird (part(?:y|ies))\b/gi, 'third-party'],
  [/\bforce[ -]?push(?:es|ed|ing)?\b/gi, 'force-push'],
];

/** Backticks and spelling make a name: `live`, `src/x.ts`, `FW_VERSION`, `nodeIntegration`, `fp16`, `--seed`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, quoted, word, mark] of joinPairs(text).matchAll(pattern)) {
    if (quoted !== undefined) tokens.push(nameToken(quoted.trim()));
    else if (word !== undefined && isAlternatives(word))
      tokens.push(...word.split('/').flatMap((one, at) => [...(at > 0 ? [markToken('/')] : []), wordToken(one)]));
    else if (word !== undefined) tokens.push(looksLikeName(word) ? nameToken(word) : wordToken(word));
    else if (mark !== undefined) tokens.push(markToken(mark));
  }
  return tokens;
}

function joinPairs(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : pairs.reduce((joined, [pair, one]) => joined.replace(pair, one), part)))
    .join('');
}

export function wordToken(text: string): Token {
  return { is: 'word', text, stem: stem(text), parts: partsOf(text) };
}

function markToken(text: string): Token {
  return { is: 'mark', text, stem: text, parts: [] };
}

const folders = /^(?:src|lib|libs|tests?|docs?|app|apps|packages|bin|scripts?|config|db|public|internal|cmd|pkg|api|vendor|node_modules|core)$/;

/** "code/data" is two words, `src/encode` is a path. */
function isAlternatives(word: string): boolean {
  const [first = '', ...rest] = word.split('/');
  return rest.length > 0 && [first, ...rest].every((one) => /^[A-Za-z]+(?:-[a-z]+)*$/.test(one)) && !folders.test(first);
}

function nameToken(text: string): Token {
  return { is: 'name', text, stem: stem(text), parts: partsOf(text) };
}

/** Stems of the words that a compound is made of, the compound's own among them. */
export function partsOf(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{N}]+/u).flatMap((part) => splitHumps(part));
  return [...new Set([...parts, text].map(stem))].filter((part) => part !== '');
}

function looksLikeName(word: string): boolean {
  if (/^[\d.,:%€$£]+$/.test(word)) return false;
  return (
    (/[/*]/.test(word) === true && /[A-Za-z]/.test(word) && !/^[A-Za-z]+\/[A-Za-z]+$/.test(word)) ||
    /^[A-Za-z]+(?:_[A-Za-z0-9]+)+$/.test(word) ||
    /^[a-z]+[A-Z]/.test(word) ||
    /^(?=.*[A-Za-z]{2})(?=.*\d)[A-Za-z][\w-]*$/.test(word) ||
    /^--?[a-z]/.test(word) ||
    (/^\.?[\w-]+\.[a-z][a-z0-9]{0,7}$/i.test(word) && !/^[A-Z]?[a-z]+\.[A-Z]/.test(word) && !/^(?:e\.g|i\.e|etc)/i.test(word))
  );
}
