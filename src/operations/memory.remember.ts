import { z } from 'zod';
import type { Context } from '../context.ts';
import { type ErrorBody, errorBody, Failure } from '../failure.ts';
import { kinds, limits, type MemoryInput, memory, memoryInput } from '../memory/memory.ts';
import { applicableScopes } from '../memory/scope.ts';
import { defineOperation } from '../operation.ts';
import { parseInput } from '../parse.ts';
import { validateRule } from '../preflight/validate.ts';
import { refuseSecrets } from '../screening/secrets.ts';
import { prepare } from '../search/prepare.ts';
import type { Draft } from '../store/draft.ts';
import type { Remembered } from '../store/remember.ts';

const similar = z.object({ id: z.string(), kind: z.enum(kinds), scope_key: z.string().nullable(), similarity: z.number(), excerpt: z.string() });
const itemError = z.object({
  code: z.string(),
  message: z.string(),
  field: z.string().optional(),
  retryable: z.boolean(),
  request_id: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
const itemResult = z.object({ index: z.int(), ok: z.boolean(), memory: memory.optional(), created: z.boolean().optional(), error: itemError.optional() });

const input = z
  .strictObject({
    ...memoryInput.partial().shape,
    // Items are judged one by one in `run`, so that a bad one never costs a good one.
    memories: z
      .array(z.unknown().meta(z.toJSONSchema(memoryInput, { io: 'input' })))
      .min(1)
      .optional()
      .meta({ description: `A batch of up to ${limits.batchItems} memories, instead of the other fields. Every item gets its own result.` }),
  })
  .meta({ description: 'One memory (content and kind are required), or `memories`.' });

export const memoryRemember = defineOperation({
  name: 'memory.remember',
  title: 'Remember',
  summary:
    'Stores a typed memory, pinned to a scope, or a batch of them. Identity is the content: the same content in the same scope is one memory, however often it is sent. ' +
    'Returns the stored memory, whether it is new, and live memories that say nearly the same. Never send secrets.',
  permission: 'write',
  effect: 'write',
  idempotent: true,
  audited: true,
  input,
  output: z.object({
    memory: memory.optional(),
    created: z.boolean().optional(),
    similar: z.array(similar).optional(),
    results: z.array(itemResult).optional(),
    accepted: z.int().optional(),
    rejected: z.int().optional(),
  }),
  maxItems: { memories: limits.batchItems },
  partial: (output) => (output.rejected ?? 0) > 0,
  example: { content: 'Run database migrations with `npm run migrate`, never by hand.', kind: 'procedure', scope_key: 'repo:acme/api' },

  async run(given, context) {
    const { memories, ...single } = given;
    if (memories === undefined) return rememberOne(parseInput(memoryInput, single), context);
    const [surplus] = Object.keys(single);
    if (surplus !== undefined) throw new Failure('validation', `\`${surplus}\` does not go with \`memories\`: put it into the items.`, { field: surplus });
    return rememberBatch(memories, context);
  },
});

async function rememberOne(item: MemoryInput, context: Context) {
  checkTogether(item, [], context.now);
  await refuseSecrets(item);
  const [draft] = await toDrafts([item], context);
  if (!draft) throw new Error('no draft');
  const [result] = await context.writer.remember([draft]);
  if (!result?.ok) throw result?.failure ?? new Error('no result');
  const scopeKeys = applicableScopes(draft.scopeKey);
  const similar = draft.vector
    ? await context.reader.similar({ vector: draft.vector, scopeKeys, above: context.embedder.manifest.thresholds.duplicate, except: draft.id, limit: 3 })
    : [];
  return { memory: await written(context, result.memoryNo), created: result.created, similar };
}

async function rememberBatch(items: readonly unknown[], context: Context) {
  const judged = await Promise.all(items.map((item, index) => judge(item, index, context.now)));
  const good = judged.flatMap((item) => (item instanceof Failure ? [] : [item]));
  const stored = good.length === 0 ? [] : await context.writer.remember(await toDrafts(good, context));
  const memories = await context.ownWrites.load(stored.flatMap((result) => (result.ok ? [result.memoryNo] : [])));

  let next = 0;
  const results = judged.map((item, index) => {
    const result: Remembered | undefined = item instanceof Failure ? { ok: false, failure: item } : stored[next++];
    if (!result) throw new Error('a result is missing');
    if (!result.ok) return { index, ok: false, error: itemFault(result.failure, index, context.requestId) };
    return { index, ok: true, memory: memories.get(result.memoryNo), created: result.created };
  });
  const accepted = results.filter(({ ok }) => ok).length;
  if (accepted === 0) throw new Failure('validation', 'No item of the batch was accepted.', { field: 'memories', details: { results } });
  return { results, accepted, rejected: results.length - accepted };
}

async function judge(item: unknown, index: number, now: Date): Promise<MemoryInput | Failure> {
  const at = ['memories', index];
  try {
    const parsed = parseInput(memoryInput, item, at);
    checkTogether(parsed, at, now);
    await refuseSecrets(parsed, at);
    return parsed;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** What no single field's schema can say. */
function checkTogether(item: MemoryInput, at: readonly PropertyKey[], now: Date): void {
  const field = (name: string) => [...at, name].join('.');
  if (item.rule && item.kind !== 'policy' && item.kind !== 'lesson') {
    throw new Failure('validation', `\`${field('rule')}\` goes with a policy or a lesson, not with kind ${item.kind}.`, { field: field('rule') });
  }
  const faulty = item.rule && validateRule(item.rule, field('rule'));
  if (faulty) throw faulty;
  if (item.expires_at !== undefined && new Date(item.expires_at) <= now) {
    throw new Failure('validation', `\`${field('expires_at')}\` must lie in the future.`, { field: field('expires_at') });
  }
}

/** Faults name the whole path of the field, an item's own details name the item's. */
function itemFault(failure: Failure, index: number, requestId: string): ErrorBody {
  const body = errorBody(failure, requestId);
  return body.field !== undefined && !body.field.startsWith('memories.') ? { ...body, field: `memories.${index}.${body.field}` } : body;
}

async function toDrafts(items: readonly MemoryInput[], { caller, embedder }: Context): Promise<Draft[]> {
  const prepared = await prepare(
    caller.tenantId,
    items.map((item) => ({ content: item.content, scopeKey: item.scope_key ?? null, occurredAt: moment(item.occurred_at), beside: item })),
    embedder,
  );
  return items.map((item, index) => ({
    ...(prepared[index] as NonNullable<(typeof prepared)[number]>),
    kind: item.kind,
    scopeKey: item.scope_key ?? null,
    tags: [...new Set(item.tags)],
    source: item.source,
    rule: item.rule,
    occurredAt: moment(item.occurred_at),
    expiresAt: moment(item.expires_at),
  }));
}

function moment(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

async function written(context: Context, memoryNo: number) {
  const memory = (await context.ownWrites.load([memoryNo])).get(memoryNo);
  if (!memory) throw new Error('a written memory cannot be read back');
  return memory;
}
