import { stemmer } from 'stemmer';
import { stopWords, wordWeight } from './stop-words.ts';
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
/** Terms of a query: bounds the postings that a pasted log can touch. 64 cost nothing on 14 sets (nDCG@10 .653 with and without), 32 cost .02 on pasted issues. */
const mostQueryTerms = 64;
/** A whole identifier repeats what its parts already said, so it counts half (issue to fix .750 without, .759 at .5 and at 1; claims to abstracts lose from .75 on). */
const wholeWeight = 0.5;

/**
 * Terms and length of a document. The day it happened is searchable in words ("8 May 2023") but does not make it longer:
 * conversations gain .012 nDCG@10 and .010 recall@10 by it.
 */
export function analyze(text: string, occurredAt?: Date): DocumentTerms {
  const terms = new Map<string, number>();
  let length = 0;
  const add = (term: string) => {
    const count = terms.get(term);
    if (count !== undefined) terms.set(term, count + 1);
    else if (terms.size < mostTerms) terms.set(term, 1);
  };
  visit(text, (term, word) => {
    if (word !== undefined) length += 1;
    add(term);
  });
  if (occurredAt) visit(inWords(occurredAt), add);
  return { terms, length };
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

function inWords(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : day.format(date);
}

/** Distinct terms of a query with their weights; of a long one the heaviest, then the longest. */
export function analyzeQuery(text: string): QueryTerm[] {
  const seen = new Map<string, { count: number; weight: number }>();
  visit(text, (term, word) => {
    const weight = word === undefined ? wholeWeight : wordWeight(word);
    const entry = seen.get(term);
    if (entry === undefined) seen.set(term, { count: 1, weight });
    else entry.count += 1;
  });
  // A word said ten times in a pasted log is not ten times as wanted. Text alone: logarithm .609, plain count .608, presence .606.
  return [...seen]
    .map(([term, { count, weight }]) => ({ term, weight: weight * (1 + Math.log(count)) }))
    .sort((a, b) => b.weight - a.weight || b.term.length - a.term.length)
    .slice(0, mostQueryTerms);
}

/** `word` is what was written; undefined for a whole identifier. */
type Visitor = (term: string, word?: string) => void;

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
      if (!spaced) for (const pair of bigrams(lower)) visitor(pair, pair);
      else if (!stopWords.has(lower)) visitor(stem(lower.slice(0, longestTerm)), lower);
    }
  }
  if (parts.length > 1 && word.length <= longestTerm) visitor(parts.join('').toLowerCase());
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
    if (whole.length <= longestWhole) visitor(whole.toLowerCase());
  }
  for (const group of groups) visitCompound(group, tighter, visitor);
}

/** One spelling for `parse-config` and `parse_config`, and for paths of either slash. */
function spelling(glue: string): string {
  if (glue === '-') return '';
  return glue === '\\' ? '/' : glue;
}

const english = /^[a-z]{3,}$/;
const mostStems = 50_000;
const stems = new Map<string, string>();

/** Porter, but with the later rule that a y after a vowel stays: without it `deploy` becomes `deploi` and `deployment` does not find it. */
function stem(word: string): string {
  if (!english.test(word)) return word;
  let found = stems.get(word);
  if (found === undefined) {
    found = stemmer(word).replace(/(?<=[aeou])i$/, 'y');
    if (stems.size >= mostStems) stems.clear();
    stems.set(word, found);
  }
  return found;
}
