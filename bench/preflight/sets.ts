import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Effect, Kind, Rule } from '../../src/memory/memory.ts';

/** A policy or lesson as a set gives it. */
export interface PolicyRow {
  ref: string;
  kind: Kind;
  content: string;
  scope: string | null;
  rule?: Rule;
  expiresAt?: string;
  /** The policy that has taken its place. */
  supersededBy?: string;
}

export interface ActionRow {
  action_type: string;
  summary: string;
  changed_files?: string[];
  scope_key?: string;
  command?: string;
}

export interface Case {
  id: string;
  action: ActionRow;
  /** Undefined: only what is cited is judged. */
  expected: Effect | undefined;
  /** Policies that lead to the verdict. */
  deciding: readonly string[];
  category: string;
}

export interface PolicySet {
  name: string;
  policies: readonly PolicyRow[];
  cases: readonly Case[];
  /** The set only tells whether an action goes through: block and require_approval count alike. */
  binary: boolean;
}

/** What the own set's dates are judged by. */
export const evaluatedAt = new Date('2026-11-01T12:00:00Z');

/** @throws Error when the folder holds no set, or none of a wanted name. */
export function loadSets(dir: string, wanted: readonly string[], packs: readonly PolicyRow[]): PolicySet[] {
  const folder = resolve(dir);
  const folders = [folder, ...readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))];
  const sets = folders
    .filter((path) => wanted.length === 0 || wanted.includes(basename(path)))
    .sort()
    .flatMap((path) => loadSet(path, packs) ?? []);
  const missing = wanted.filter((name) => !sets.some((set) => set.name === name));
  if (missing.length > 0) throw new Error(`No set named ${missing.join(', ')} in ${dir}.`);
  if (sets.length === 0) throw new Error(`No set in ${dir}.`);
  return sets;
}

function loadSet(folder: string, packs: readonly PolicyRow[]): PolicySet | undefined {
  const has = (...files: string[]) => files.every((file) => existsSync(join(folder, file)));
  if (has('policies.jsonl', 'cases.jsonl')) return ownSet(folder);
  if (has('items.jsonl') && basename(folder).startsWith('verdict-shell')) return shellSet(folder, packs);
  if (has('corpus.jsonl', 'queries.jsonl', 'qrels.tsv')) return ruleSet(folder);
  return undefined;
}

interface OwnPolicy {
  id: string;
  scope: string | null;
  kind: Kind;
  content: string;
  rule?: Rule;
  expires_at?: string;
  superseded_by?: string;
}

function ownSet(folder: string): PolicySet {
  const policies = readRows<OwnPolicy>(join(folder, 'policies.jsonl')).map(({ id, scope, kind, content, rule, expires_at, superseded_by }) => ({
    ref: id,
    scope,
    kind,
    content,
    ...(rule && { rule }),
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    ...(superseded_by !== undefined && { supersededBy: superseded_by }),
  }));
  return { name: basename(folder), policies, cases: readRows<Case>(join(folder, 'cases.jsonl')), binary: false };
}

const verdicts: Readonly<Record<string, Effect>> = { block: 'block', confirm: 'require_approval', remind: 'warn', ok: 'allow' };

interface RuleQuery {
  id: string;
  text: string;
  scope?: string;
  category?: string;
  expected?: string;
}

/** Rules as documents: a heading and a bullet. Queries without a verdict are judged by what is cited. */
function ruleSet(folder: string): PolicySet | undefined {
  const rules = readRows<{ id: string; title?: string; text: string; scope?: string }>(join(folder, 'corpus.jsonl'));
  const queries = readRows<RuleQuery>(join(folder, 'queries.jsonl'));
  const deciding = new Map<string, string[]>();
  const best = new Map<string, number>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').split('\n')) {
    const [query, document, grade] = line.split('\t');
    if (query === undefined || document === undefined || !Number.isFinite(Number(grade))) continue;
    if (Number(grade) > (best.get(query) ?? 0)) deciding.set(query, []);
    best.set(query, Math.max(best.get(query) ?? 0, Number(grade)));
    if (Number(grade) === best.get(query)) deciding.get(query)?.push(document);
  }
  const scopeKey = (scope: string | undefined) => `project:${scope ?? 'all'}`;
  return {
    name: basename(folder),
    policies: rules.map(({ id, title, text, scope }) => ({
      ref: id,
      kind: 'policy',
      scope: scopeKey(scope),
      content: title ? `## ${title}\n\n- ${text}` : text,
    })),
    cases: queries.map(({ id, text, scope, category, expected }) => ({
      id,
      action: { action_type: 'agent.action', summary: text, scope_key: scopeKey(scope) },
      expected: expected === undefined ? undefined : verdicts[expected],
      deciding: deciding.get(id) ?? [],
      category: category ?? 'all',
    })),
    binary: false,
  };
}

/** Command lines that may run or may not, judged by the starter packs. */
function shellSet(folder: string, packs: readonly PolicyRow[]): PolicySet {
  const items = readRows<{ id: string; action: string; label: string; category?: string }>(join(folder, 'items.jsonl'));
  return {
    name: basename(folder),
    policies: packs,
    cases: items.map(({ id, action, label, category }) => ({
      id,
      action: { action_type: 'shell.run', summary: 'Run a command', command: action },
      expected: label === 'allow' || label === 'approve' ? 'allow' : label === 'ask' ? 'require_approval' : 'block',
      deciding: [],
      category: category ?? 'all',
    })),
    binary: true,
  };
}

export function readRows<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
