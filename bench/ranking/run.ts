import { limits } from '../../src/memory/memory.ts';
import { startProgress } from '../progress.ts';
import { type MemoryItem, toMemories, toScopeKey } from './as-memory.ts';
import { baselineColumns, createBaseline } from './bm25.ts';
import type { Collection, Query, QuestionSet } from './dataset.ts';
import type { Leg } from './legs.ts';
import type { Invoke, Output } from './service.ts';

/** A hit, kept for the report. */
export interface Hit {
  documents: readonly string[];
  excerpt: string;
  score: number;
  /** By feature, in the order of the breakdown. */
  contributions: readonly (readonly [feature: string, contribution: number])[];
}

export interface Answer {
  /** Documents, best first, without repetition. */
  ranking: readonly string[];
  /** Of the best hit; 0 without one. */
  best: number;
  ms: number;
  /** The first few. */
  hits: readonly Hit[];
}

export interface Loaded {
  invoke: Invoke;
  /** Documents of a memory: more than one where two have the same text, which makes them one memory. */
  documentsOf: ReadonlyMap<string, readonly string[]>;
  memories: number;
  perSecond: number;
  refused: readonly { document: string; message: string }[];
}

const batchItems = 256;
const hitsKept = 5;
/** Deep enough for R@20. */
const depth = 20;
const excerptChars = 220;

/** Writes a collection through `memory.remember`. */
export async function load(collection: Collection, invoke: Invoke, label: string): Promise<Loaded> {
  const items = collection.documents.flatMap((document) => toMemories(document).map((item) => ({ document: document.id, item })));
  const documentsOf = new Map<string, string[]>();
  const refused: { document: string; message: string }[] = [];
  const progress = startProgress(`${label}: loading`, items.length);
  const begun = performance.now();
  for (let start = 0; start < items.length; start += batchItems) {
    const batch = items.slice(start, start + batchItems);
    const { results } = (await invoke('hybrid', 'memory.remember', { memories: batch.map(({ item }) => item) })) as { results: Result[] };
    for (const { index, memory, error } of results) {
      const { document } = batch[index] as (typeof batch)[number];
      if (memory === undefined) refused.push({ document, message: error?.message ?? '' });
      else documentsOf.set(memory.id, [...new Set([...(documentsOf.get(memory.id) ?? []), document])]);
    }
    progress.step(batch.length);
  }
  progress.done();
  return { invoke, documentsOf, memories: documentsOf.size, perSecond: items.length / ((performance.now() - begun) / 1000), refused };
}

interface Result extends Output {
  index: number;
  memory?: { id: string };
  error?: { message: string };
}

/** Asks every question of a set through `memory.search`, one after the other, each in its own scope. */
export async function ask(set: QuestionSet, collection: Collection, loaded: Loaded, leg: Leg): Promise<Answer[]> {
  const progress = startProgress(`${set.name}: ${leg}`, set.queries.length);
  const limit = collection.grouped ? limits.pageItems : depth + 1;
  const answers: Answer[] = [];
  for (const query of set.queries) {
    answers.push(await askOne(query, loaded, leg, limit));
    progress.step();
  }
  progress.done();
  return answers;
}

async function askOne(query: Query, { invoke, documentsOf }: Loaded, leg: Leg, limit: number): Promise<Answer> {
  const input = { query: query.text.slice(0, limits.queryChars), limit, ...(query.scope !== undefined && { filters: { scope_key: toScopeKey(query.scope) } }) };
  const begun = performance.now();
  const { hits } = (await invoke(leg, 'memory.search', input)) as { hits: FoundHit[] };
  const ms = performance.now() - begun;
  const found = hits
    .map((hit) => ({ hit, documents: (documentsOf.get(hit.id) ?? []).filter((document) => document !== query.self) }))
    .filter(({ documents }) => documents.length > 0);
  return {
    ranking: [...new Set(found.flatMap(({ documents }) => documents))].slice(0, depth),
    best: found[0]?.hit.score ?? 0,
    ms,
    hits: found.slice(0, hitsKept).map(({ hit, documents }) => ({
      documents,
      excerpt: hit.content.slice(0, excerptChars),
      score: hit.score,
      contributions: Object.entries(hit.score_breakdown).map(([feature, { contribution }]) => [feature, contribution] as const),
    })),
  };
}

interface FoundHit extends MemoryItem {
  id: string;
  score: number;
  score_breakdown: Record<string, { contribution: number }>;
}

/** The baseline's rankings, by column. */
export function askBaseline(set: QuestionSet, collection: Collection): Map<string, string[][]> {
  const baseline = createBaseline(collection);
  return new Map(baselineColumns.map((column) => [column.label, set.queries.map((query) => baseline.rank(query, column).slice(0, depth))]));
}
