import { stemmer } from 'stemmer';
import { bigrams, splitHumps, splitScripts, splitWords, type Word } from './words.ts';

/** What the text index stores of a document. */
export interface DocumentTerms {
  /** How often each term occurs. */
  terms: Map<string, number>;
  /** Length in plain words. Whole identifiers are extra terms and do not count, or code would look longer than prose. */
  length: number;
}

export interface QueryTerm {
  term: string;
  weight: number;
}

/** A word of more characters is a blob, not something anyone types; its head still finds it. */
const longestTerm = 64;
/** Longest path, flag or dotted name that is also kept whole. */
const longestWhole = 128;
/** A longer chain of glued words is data, not a name; only its parts are kept. */
const longestChain = 24;
/** Distinct terms kept of one document: bounds the rows that a hostile megabyte can cost. */
const mostTerms = 8192;
/** Terms of a query: bounds the postings that a pasted log can touch. */
const mostQueryTerms = 64;
/** A whole identifier repeats what its parts already said, so it counts half. */
const wholeWeight = 0.5;

// Lucene's English list.
const stopWords = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(' '),
);

/** Terms and length of a document. */
export function analyze(text: string): DocumentTerms {
  const terms = new Map<string, number>();
  let length = 0;
  visit(text, (term, whole) => {
    if (!whole) length += 1;
    const count = terms.get(term);
    if (count !== undefined) terms.set(term, count + 1);
    else if (terms.size < mostTerms) terms.set(term, 1);
  });
  return { terms, length };
}

/** Distinct terms of a query with their weights; of a long one the most frequent, then the longest. */
export function analyzeQuery(text: string): QueryTerm[] {
  const weights = new Map<string, number>();
  visit(text, (term, whole) => {
    weights.set(term, (weights.get(term) ?? 0) + (whole ? wholeWeight : 1));
  });
  return [...weights]
    .map(([term, weight]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight || b.term.length - a.term.length)
    .slice(0, mostQueryTerms);
}

type Visitor = (term: string, whole: boolean) => void;

function visit(text: string, visitor: Visitor): void {
  const words = splitWords(text);
  for (const word of words) visitWord(word.text, visitor);
  for (let start = 0; start < words.length; ) {
    let end = start + 1;
    while (end < words.length && words[end]?.glue !== '') end += 1;
    const chain = end - start;
    if (chain > 1 && chain <= longestChain) visitCompound(words.slice(start, end), levels, visitor);
    start = end;
  }
}

/** The parts of one word, and the word itself when it is an identifier. */
function visitWord(word: string, visitor: Visitor): void {
  const parts = splitHumps(word);
  for (const part of parts) {
    for (const { text, spaced } of splitScripts(part)) {
      const lower = text.toLowerCase();
      if (!spaced) for (const pair of bigrams(lower)) visitor(pair, false);
      else if (!stopWords.has(lower)) visitor(stem(lower.slice(0, longestTerm)), false);
    }
  }
  if (parts.length > 1 && word.length <= longestTerm) visitor(parts.join('').toLowerCase(), true);
}

// From loose to tight: `src/db/conn-pool.ts` is kept as a path, as `connpool.ts` and as `connpool`.
const levels: readonly RegExp[] = [/[/\\:@#+~]/, /\./, /-/];

function visitCompound(words: readonly Word[], rest: readonly RegExp[], visitor: Visitor): void {
  const [level, ...tighter] = rest;
  if (level === undefined || words.length < 2) return;
  const groups: Word[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last === undefined || level.test(word.glue)) groups.push([word]);
    else last.push(word);
  }
  if (groups.length > 1) {
    const whole = words.map((word, index) => (index === 0 ? '' : spelling(word.glue)) + word.text.replaceAll('_', '')).join('');
    if (whole.length <= longestWhole) visitor(whole.toLowerCase(), true);
  }
  for (const group of groups) visitCompound(group, tighter, visitor);
}

/** One spelling for `parse-config` and `parse_config`, and for paths of either slash. */
function spelling(glue: string): string {
  if (glue === '-') return '';
  return glue === '\\' ? '/' : glue;
}

const stems = /^[a-z]{3,}$/;

/** Porter, but with the later rule that a y after a vowel stays: without it `deploy` becomes `deploi` and `deployment` does not find it. */
function stem(word: string): string {
  return stems.test(word) ? stemmer(word).replace(/(?<=[aeou])i$/, 'y') : word;
}
