import { stemmer } from 'stemmer';
import { applicableScopes, scopeKeyPattern } from '../../src/memory/scope.ts';
import type { Collection, Document, Query } from './dataset.ts';

/**
 * The baseline, per query: plain BM25 as Lucene computes it, one index over the whole set and the scope a filter. It is what the service
 * is compared with, so it shares no code with it. Its means are those of the sets' own baselines.json.
 */

export const baselineColumns = [
  { label: 'k1=0.9 b=0.4', k1: 0.9, b: 0.4 },
  { label: 'k1=1.2 b=0.75', k1: 1.2, b: 0.75 },
] as const;

export interface Baseline {
  /** Ids, best first. */
  rank(query: Query, column: (typeof baselineColumns)[number]): string[];
}

interface Indexed {
  id: string;
  scope: string | undefined;
  length: number;
}

const depth = 100;
const groupedDepth = 1_000;

export function createBaseline({ documents, grouped }: Collection): Baseline {
  const postings = new Map<string, { document: number; frequency: number }[]>();
  const indexed = documents.map((document, number) => indexDocument(document, number, postings));
  const meanLength = indexed.reduce((sum, { length }) => sum + length, 0) / indexed.length;
  const scoped = documents.some(({ scope }) => scope !== undefined);

  return {
    rank(query, { k1, b }) {
      const scores = new Map<number, number>();
      const admits = scoped ? scopeTest(query.scope) : () => true;
      for (const term of tokenize(query.text)) {
        const list = postings.get(term) ?? [];
        const idf = Math.log(1 + (indexed.length - list.length + 0.5) / (list.length + 0.5));
        for (const { document, frequency } of list) {
          const { scope, length } = indexed[document] as Indexed;
          if (!admits(scope)) continue;
          const gain = (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / meanLength));
          scores.set(document, (scores.get(document) ?? 0) + gain);
        }
      }
      const best = [...scores].sort(([a, scoreA], [c, scoreC]) => scoreC - scoreA || a - c).slice(0, grouped ? groupedDepth : depth);
      return [...new Set(best.map(([document]) => (indexed[document] as Indexed).id))].filter((id) => id !== query.self);
    },
  };
}

/** Real scope keys are searched with what encloses them, as the service does; other names stand alone. */
function scopeTest(scope: string | undefined): (of: string | undefined) => boolean {
  if (scope === undefined) return () => true;
  const scopes: readonly (string | null)[] = scopeKeyPattern.test(scope) ? applicableScopes(scope) : [scope];
  return (of) => scopes.includes(of ?? null);
}

function indexDocument({ id, text, scope }: Document, number: number, postings: Map<string, { document: number; frequency: number }[]>): Indexed {
  const terms = tokenize(text);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, frequency] of counts) {
    const list = postings.get(term);
    if (list === undefined) postings.set(term, [{ document: number, frequency }]);
    else list.push({ document: number, frequency });
  }
  return { id, scope, length: terms.length };
}

/** Lucene's English stop words. */
const stopWords = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(' '),
);
const cjk = /[\u3040-\u30ff\u3400-\u9fff]/;
const stems = new Map<string, string>();

function tokenize(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[’']s\b/g, '')
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.flatMap((word) => {
    if (cjk.test(word)) return pairs([...word]);
    return stopWords.has(word) ? [] : [stem(word)];
  });
}

function pairs(characters: readonly string[]): string[] {
  return characters.length === 1 ? [...characters] : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = /^[a-z]+$/.test(word) ? stemmer(word) : word;
  stems.set(word, made);
  return made;
}
