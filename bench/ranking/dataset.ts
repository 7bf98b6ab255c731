import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** Sets in the uniform layout: a folder with corpus.jsonl, queries.jsonl and qrels.tsv. */

export interface Document {
  id: string;
  /** Title included. */
  text: string;
  scope: string | undefined;
  kind: string | undefined;
  tags: readonly string[];
  /** As written in the set. */
  date: string | undefined;
}

export interface Query {
  id: string;
  text: string;
  scope: string | undefined;
  category: string | undefined;
  /** The document that is the question itself and does not count as found. */
  self: string | undefined;
}

/** Grades above 0, by query, by document. */
export type Relevance = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface QuestionSet {
  name: string;
  /** Its name in baselines.json, without the part before the first slash. */
  baselineKey: string;
  queries: readonly Query[];
  relevance: Relevance;
  /** Its questions have relevance rows, but the right answer is that nothing answers them. */
  adversarial: boolean;
}

/** Documents that are searched together, and the questions put to them. */
export interface Collection {
  documents: readonly Document[];
  /** Whether several documents share an id and count as one: turns of a session. */
  grouped: boolean;
  questionSets: readonly QuestionSet[];
}

/** @throws Error when the folder holds no set, or none of a wanted name. */
export function loadCollections(dir: string, wanted: readonly string[] = []): Collection[] {
  const folder = resolve(dir);
  const folders = isSet(folder)
    ? [folder]
    : readdirSync(folder)
        .sort()
        .map((name) => join(folder, name))
        .filter(isSet);
  const collections = folders.flatMap(collectionsOf).flatMap((collection) => {
    const questionSets = collection.questionSets.filter(
      ({ name }) => wanted.length === 0 || wanted.includes(name) || wanted.includes(name.split('/')[0] ?? ''),
    );
    return questionSets.length === 0 ? [] : [{ ...collection, questionSets }];
  });
  const missing = wanted.filter(
    (name) => !collections.some(({ questionSets }) => questionSets.some((set) => set.name === name || set.name.startsWith(`${name}/`))),
  );
  if (missing.length > 0) throw new Error(`No set named ${missing.join(', ')} in ${dir}.`);
  if (collections.length === 0) throw new Error(`No set in ${dir}: a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv.`);
  return collections;
}

function isSet(folder: string): boolean {
  return ['corpus.jsonl', 'queries.jsonl', 'qrels.tsv'].every((file) => existsSync(join(folder, file)));
}

/** The set as it is and, where its files allow them, its variants: further questions, user messages alone, single turns. */
function collectionsOf(folder: string): Collection[] {
  const name = basename(folder);
  const rows = readRows(join(folder, 'corpus.jsonl'));
  const main = questions(folder, name, name, '');
  const further = readdirSync(folder).flatMap((file) => {
    const kind = /^queries_(\w+)\.jsonl$/.exec(file)?.[1];
    return kind === undefined ? [] : [questions(folder, `${name}/${kind}`, `${name} [${kind} questions]`, `_${kind}`)];
  });
  const collections: Collection[] = [{ documents: rows.map((row) => toDocument(row)), grouped: false, questionSets: [main, ...further] }];

  const fromUsers = rows.filter(({ role }) => role === 'user');
  if (fromUsers.length > 0 && fromUsers.length < rows.length) {
    const set = { ...main, name: `${name}/user`, baselineKey: `${name} [user messages only]` };
    collections.push({ documents: fromUsers.map((row) => toDocument(row)), grouped: false, questionSets: [set] });
  }
  if (existsSync(join(folder, 'turns.jsonl'))) {
    const turns = readRows(join(folder, 'turns.jsonl')).map((row) => toDocument(row, text(row, 'session')));
    collections.push({ documents: turns, grouped: true, questionSets: [{ ...main, name: `${name}/turns`, baselineKey: `${name} [turns]` }] });
  }
  return collections;
}

type Row = Record<string, unknown>;

function toDocument(row: Row, id = text(row, 'id')): Document {
  const title = text(row, 'title');
  return {
    id: id ?? '',
    text: title === undefined ? (text(row, 'text') ?? '') : `${title}\n${text(row, 'text')}`,
    scope: text(row, 'scope'),
    kind: text(row, 'kind'),
    tags: Array.isArray(row.tags) ? row.tags.filter((tag) => typeof tag === 'string') : [],
    date: text(row, 'date') ?? text(row, 'date_text'),
  };
}

function questions(folder: string, name: string, baselineKey: string, suffix: string): QuestionSet {
  const queries = readRows(join(folder, `queries${suffix}.jsonl`)).map((row) => ({
    id: text(row, 'id') ?? '',
    text: text(row, 'text') ?? '',
    scope: text(row, 'scope'),
    category: text(row, 'category'),
    self: text(row, 'self'),
  }));
  const relevance = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, `qrels${suffix}.tsv`), 'utf8').split('\n')) {
    const [query, document, grade] = line.split('\t');
    if (query === undefined || document === undefined || !(Number(grade) > 0)) continue;
    relevance.set(query, (relevance.get(query) ?? new Map<string, number>()).set(document, Number(grade)));
  }
  return { name, baselineKey, queries, relevance, adversarial: suffix === '_adversarial' };
}

function readRows(file: string): Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
}

function text(row: Row, field: string): string | undefined {
  const value = row[field];
  return typeof value === 'string' ? value : undefined;
}
