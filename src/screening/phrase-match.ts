import type { Token } from './sentences.ts';

/** What a phrase is a sign of; several weak signs count only when they differ. */
export type Sign = string;

export interface Phrase {
  weight: number;
  sign: Sign;
  slots: readonly Slot[];
}

interface Slot {
  words: ReadonlySet<string>;
  /** How many words may stand before this one. */
  gap: number;
}

/** A phrase found: from the first word to the last. */
export interface Found {
  phrase: Phrase;
  from: number;
  to: number;
}

/** `rule(s) order` is the set of rule, rules and order. */
export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').flatMap((word) => (word.endsWith('(s)') ? [word.slice(0, -3), `${word.slice(0, -3)}s`] : [word])));
}

/** Reads the table's notation. */
export function readPhrases(table: string, classes: Readonly<Record<string, ReadonlySet<string>>>): Phrase[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [weight, sign = '', ...parts] = line.split(' ');
      const slots: Slot[] = [];
      let gap = 0;
      for (const part of parts) {
        if (part.startsWith('~')) {
          gap = Number(part.slice(1));
          continue;
        }
        slots.push({ gap, words: new Set(part.split('|').flatMap((word) => (word === '$' ? [''] : [...(classes[word] ?? [word])]))) });
        gap = 0;
      }
      return { weight: Number(weight), sign, slots };
    });
}

/** Phrases by their first word, which is what makes a search over all of them one walk over the text. */
export function indexPhrases(phrases: readonly Phrase[]): ReadonlyMap<string, readonly Phrase[]> {
  const index = new Map<string, Phrase[]>();
  for (const phrase of phrases) {
    for (const word of phrase.slots[0]?.words ?? []) index.set(word, [...(index.get(word) ?? []), phrase]);
  }
  return index;
}

/** Every place where a phrase begins, at most once a place; work per word is bounded by the table. */
export function* findPhrases(tokens: readonly Token[], index: ReadonlyMap<string, readonly Phrase[]>): Generator<Found> {
  for (const [from, { word }] of tokens.entries()) {
    for (const phrase of index.get(word) ?? []) {
      const to = matchFrom(tokens, from, phrase.slots);
      if (to !== undefined) yield { phrase, from, to };
    }
  }
}

/** All positions that a prefix of the phrase can end at are carried along, so that no choice has to be taken back. */
function matchFrom(tokens: readonly Token[], from: number, slots: readonly Slot[]): number | undefined {
  let ends = [from];
  for (const { words, gap } of slots.slice(1)) {
    const next = new Set<number>();
    for (const end of ends) {
      for (let at = end + 1; at <= end + 1 + gap; at++) {
        const word = tokens[at]?.word;
        if (word === undefined) break;
        if (words.has(word)) next.add(at);
        if (word === '') break;
      }
    }
    if (next.size === 0) return undefined;
    ends = [...next];
  }
  return ends[0];
}
