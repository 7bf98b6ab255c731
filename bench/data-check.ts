// Validates the labelled sets under bench/data and prints their counts: npx tsx bench/data-check.ts
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const kinds = ['policy', 'lesson', 'decision', 'fact', 'preference', 'procedure', 'event', 'note'] as const;
const scopeKey = z.string().regex(/^(org|team|project|repo|branch|user|agent|session):[A-Za-z0-9][A-Za-z0-9._/@-]{0,199}$/);
const text = z.string().trim().min(1);

const memory = z.strictObject({
  id: text,
  text,
  scope: scopeKey.nullable(),
  kind: z.enum(kinds),
  date: z.iso.date(),
});
const query = z.strictObject({
  id: text,
  text,
  scope: scopeKey.optional(),
  category: z.enum(['paraphrase', 'identifier', 'multi-hop', 'temporal', 'preference', 'procedure', 'unanswerable']),
});
const condition = z
  .strictObject({
    action_types: z.array(text).min(1).optional(),
    paths: z.array(text).min(1).optional(),
    commands: z.array(text).min(1).optional(),
  })
  .refine((given) => Object.keys(given).length > 0, 'a condition without content matches everything');
const verdicts = ['allow', 'warn', 'require_approval', 'block'] as const;
const policy = z.strictObject({
  id: text,
  scope: scopeKey.nullable(),
  kind: z.enum(['policy', 'lesson']),
  content: text,
  rule: z
    .strictObject({
      effect: z.enum(verdicts),
      when: condition,
      unless: condition.optional(),
      message: text.optional(),
      severity: z.enum(['low', 'medium', 'high', 'critical']).optional(),
    })
    .optional(),
  expires_at: z.iso.datetime().optional(),
  superseded_by: text.optional(),
});
const preflightCase = z.strictObject({
  id: text,
  action: z.strictObject({
    action_type: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/),
    summary: text,
    changed_files: z.array(text).min(1).optional(),
    scope_key: scopeKey,
    command: text.optional(),
  }),
  expected: z.enum(verdicts),
  deciding: z.array(text),
  category: text,
  rationale: text.regex(/^[^\n]+$/),
});

const stopWords = new Set(
  `a about after all am an and any are as at be because been before but by can could did do does for from get
  had has have how i if in into is it its like may me must my no not of on one or our out should so some than
  that the their them then there these they this to up us was we were what when where which while who whom
  whose why will with would you your`.split(/\s+/),
);

/** The moment at which the preflight cases were judged. */
const judgedAt = Date.parse('2026-11-01T00:00:00Z');

const faults: string[] = [];
checkTeam();
checkPreflight();
for (const fault of faults) console.error(`fault: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

function checkTeam(): void {
  const memories = readRows('team/corpus.jsonl', memory);
  const queries = readRows('team/queries.jsonl', query);
  const memoryById = uniqueById('team/corpus.jsonl', memories);
  const queryById = uniqueById('team/queries.jsonl', queries);
  repeatedText(
    'team/corpus.jsonl',
    memories.map((row) => `${row.scope} ${row.text}`),
  );
  repeatedText(
    'team/queries.jsonl',
    queries.map((row) => `${row.scope} ${row.text}`),
  );

  const best = new Map<string, { id: string; grade: number }[]>();
  const pairs = new Set<string>();
  for (const line of lines('team/qrels.tsv')) {
    const [queryId = '', memoryId = '', grade = ''] = line.split('\t');
    const asked = queryById.get(queryId);
    const answer = memoryById.get(memoryId);
    if (!asked || !answer) {
      faults.push(`qrels.tsv: "${line}" refers to an unknown id`);
      continue;
    }
    if (pairs.has(`${queryId} ${memoryId}`)) faults.push(`qrels.tsv: "${line}" is judged twice`);
    pairs.add(`${queryId} ${memoryId}`);
    if (!/^[12]$/.test(grade)) faults.push(`qrels.tsv: "${line}" has a grade other than 1 or 2`);
    if (asked.category === 'unanswerable') faults.push(`qrels.tsv: ${queryId} is unanswerable`);
    if (asked.scope && !applicable(asked.scope).has(answer.scope)) faults.push(`qrels.tsv: ${memoryId} is out of the scope of ${queryId}`);
    best.set(queryId, [...(best.get(queryId) ?? []), { id: memoryId, grade: Number(grade) }]);
  }

  const overlaps = new Map<string, number[]>();
  for (const asked of queries) {
    if (asked.category === 'unanswerable') continue;
    const judged = best.get(asked.id) ?? [];
    const top = judged.filter((row) => row.grade === 2);
    if (top.length === 0) faults.push(`queries.jsonl: ${asked.id} has no memory of grade 2`);
    if (asked.category === 'multi-hop' && top.length < 2) faults.push(`queries.jsonl: ${asked.id} is multi-hop with fewer than two memories of grade 2`);
    const shares = top.map((row) => overlap(asked.text, memoryById.get(row.id)?.text ?? ''));
    overlaps.set(asked.category, [...(overlaps.get(asked.category) ?? []), Math.max(0, ...shares)]);
  }

  const unanswerable = queries.filter((row) => row.category === 'unanswerable').length;
  atLeast('team memories', memories.length, 160);
  atLeast('team answerable queries', queries.length - unanswerable, 160);
  atLeast('team unanswerable queries', unanswerable, 35);
  const paraphrase = median(overlaps.get('paraphrase') ?? []);
  if (paraphrase > 0.35) faults.push(`team: paraphrase overlap ${paraphrase.toFixed(2)} is above 0.35`);

  console.log(`team: ${memories.length} memories, ${queries.length} queries, ${pairs.size} judgements`);
  console.log(`  memories by kind      ${tally(memories.map((row) => row.kind))}`);
  console.log(`  memories by scope     ${tally(memories.map((row) => row.scope ?? 'tenant-wide'))}`);
  console.log(
    `  dates                 ${memories
      .map((row) => row.date)
      .sort()
      .at(0)} to ${memories
      .map((row) => row.date)
      .sort()
      .at(-1)}`,
  );
  console.log(`  queries by category   ${tally(queries.map((row) => row.category))}`);
  console.log(`  queries without scope ${queries.filter((row) => !row.scope).length}`);
  console.log('  content words of a query that occur in its best memory, median:');
  for (const [category, shares] of overlaps) console.log(`    ${category.padEnd(12)} ${median(shares).toFixed(2)} (n=${shares.length})`);
}

function checkPreflight(): void {
  const policies = readRows('preflight/policies.jsonl', policy);
  const cases = readRows('preflight/cases.jsonl', preflightCase);
  const policyById = uniqueById('preflight/policies.jsonl', policies);
  uniqueById('preflight/cases.jsonl', cases);
  repeatedText(
    'preflight/cases.jsonl',
    cases.map((row) => JSON.stringify(row.action)),
  );

  for (const row of policies) {
    if (row.superseded_by && !policyById.has(row.superseded_by)) faults.push(`policies.jsonl: ${row.id} is superseded by the unknown ${row.superseded_by}`);
  }
  for (const row of cases) {
    if ((row.expected === 'allow') !== (row.deciding.length === 0))
      faults.push(`cases.jsonl: ${row.id} expects ${row.expected} and names ${row.deciding.length} deciding policies`);
    for (const id of row.deciding) {
      const deciding = policyById.get(id);
      if (!deciding) faults.push(`cases.jsonl: ${row.id} is decided by the unknown ${id}`);
      else if (!applicable(row.action.scope_key).has(deciding.scope))
        faults.push(`cases.jsonl: ${row.id} is decided by ${id}, which does not apply to ${row.action.scope_key}`);
      else if (deciding.superseded_by || expired(deciding.expires_at)) faults.push(`cases.jsonl: ${row.id} is decided by ${id}, which is not in force`);
      else if (deciding.rule && deciding.rule.effect !== row.expected)
        faults.push(`cases.jsonl: ${row.id} expects ${row.expected}, the rule of ${id} says ${deciding.rule.effect}`);
      else if (deciding.kind === 'lesson' && row.expected !== 'warn')
        faults.push(`cases.jsonl: ${row.id} is decided by the lesson ${id}, which cannot do more than warn`);
    }
  }

  const projects = new Set(policies.flatMap((row) => (row.scope?.startsWith('repo:') ? [row.scope] : [])));
  const allowed = cases.filter((row) => row.expected === 'allow').length;
  const plain = policies.filter((row) => !row.rule).length;
  atLeast('preflight projects', projects.size, 8);
  atLeast('preflight cases', cases.length, 210);
  atLeast('preflight share of allow', allowed / cases.length, 0.4);
  const quiet = policies.filter((row) => !cases.some((given) => given.deciding.includes(row.id)));

  console.log(`preflight: ${policies.length} policies in ${projects.size} repositories, ${cases.length} cases`);
  console.log(`  policies by kind      ${tally(policies.map((row) => row.kind))}; in plain words ${plain}, with a rule ${policies.length - plain}`);
  console.log(`  not in force          ${policies.filter((row) => row.superseded_by || expired(row.expires_at)).length}`);
  console.log(`  never decide a case   ${quiet.length}`);
  console.log(`  cases by verdict      ${tally(cases.map((row) => row.expected))}; allow ${percent(allowed / cases.length)}`);
  console.log(`  cases by category     ${tally(cases.map((row) => row.category))}`);
}

function expired(expiresAt: string | undefined): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= judgedAt;
}

function lines(file: string): string[] {
  return readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean);
}

function readRows<T>(file: string, schema: z.ZodType<T>): T[] {
  return lines(file).flatMap((line, index) => {
    const parsed = schema.safeParse(JSON.parse(line));
    if (parsed.success) return [parsed.data];
    faults.push(`${file}:${index + 1}: ${z.prettifyError(parsed.error)}`);
    return [];
  });
}

function uniqueById<T extends { id: string }>(file: string, rows: readonly T[]): Map<string, T> {
  const byId = new Map<string, T>();
  for (const row of rows) {
    if (byId.has(row.id)) faults.push(`${file}: the id ${row.id} occurs twice`);
    byId.set(row.id, row);
  }
  return byId;
}

function repeatedText(file: string, texts: readonly string[]): void {
  const seen = new Set<string>();
  for (const given of texts) {
    if (seen.has(given)) faults.push(`${file}: "${given}" occurs twice`);
    seen.add(given);
  }
}

function atLeast(what: string, found: number, floor: number): void {
  if (!(found >= floor)) faults.push(`${what}: ${found} is below ${floor}`);
}

/** The scopes that govern a key: itself, what encloses it, and null for tenant-wide. */
function applicable(key: string): Set<string | null> {
  const scopes = new Set<string | null>([key, null]);
  const inRepo = /^(?:branch|repo):(([^/@]+)\/[^@]+)/.exec(key);
  if (inRepo) scopes.add(`repo:${inRepo[1]}`).add(`org:${inRepo[2]}`);
  return scopes;
}

function overlap(question: string, answer: string): number {
  const asked = contentWords(question);
  const given = new Set(contentWords(answer));
  return asked.length === 0 ? 0 : asked.filter((word) => given.has(word)).length / asked.length;
}

/** Distinct words that carry meaning, cut to a crude stem so that "retries" meets "retry". */
function contentWords(words: string): string[] {
  const found = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(found.filter((word) => !stopWords.has(word)).map(stem))];
}

function stem(word: string): string {
  return word.length < 5
    ? word
    : word
        .replace(/ies$/, 'y')
        .replace(/(?:ing|ed|es|s)$/, '')
        .replace(/(?:e|y)$/, '');
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function tally(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([value, count]) => `${value} ${count}`)
    .join(', ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
