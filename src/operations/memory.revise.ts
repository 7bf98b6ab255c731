import { z } from 'zod';
import { Failure } from '../failure.ts';
import { content, kind, memory, reason, rule, tags, time } from '../memory/memory.ts';
import { defineOperation } from '../operation.ts';
import { validateRule } from '../preflight/validate.ts';
import { refuseSecrets } from '../screening/secrets.ts';
import { prepare, screen } from '../search/prepare.ts';
import { gone, notFound } from '../store/target.ts';

const changes = {
  content: content.optional().meta({ description: 'New content makes a new memory that supersedes this one.' }),
  kind: kind.optional(),
  tags: tags.optional(),
  rule: rule.nullable().optional().meta({ description: 'null takes the rule away.' }),
  expires_at: time.nullable().optional().meta({ description: 'null lets it live on.' }),
};

export const memoryRevise = defineOperation({
  name: 'memory.revise',
  title: 'Revise a memory',
  summary:
    'Changes a memory. New content never overwrites: it becomes a new memory (or the one that already says this) which supersedes the old one. Other fields raise the revision of the same memory. ' +
    'With expected_revision, a change made by someone else meanwhile is a conflict instead of being lost.',
  permission: 'write',
  effect: 'write',
  idempotent: false,
  audited: true,
  input: z.strictObject({
    id: z.string().min(1).max(100),
    expected_revision: z.int().min(1).optional(),
    ...changes,
    reason: reason.optional(),
  }),
  output: z.object({ memory, supersedes: z.string().optional() }),
  example: {
    id: 'mem_00000000000000000000000000',
    expected_revision: 1,
    content: 'Run database migrations with `npm run migrate:up`.',
    reason: 'the script was renamed',
  },

  async run({ id, expected_revision: expectedRevision, content, expires_at: expiresAt, reason, ...fields }, context) {
    if ([content, expiresAt, ...Object.values(fields)].every((value) => value === undefined)) {
      throw new Failure('validation', `Nothing to revise: send at least one of ${Object.keys(changes).join(', ')}.`, {
        details: { allowed: Object.keys(changes) },
      });
    }
    if (typeof expiresAt === 'string' && new Date(expiresAt) <= context.now) {
      throw new Failure('validation', '`expires_at` must lie in the future. To end a memory now, use memory.forget.', { field: 'expires_at' });
    }
    const faulty = fields.rule && validateRule(fields.rule);
    if (faulty) throw faulty;
    await refuseSecrets({ content, reason, ...fields });
    const found = await context.reader.find(id);
    if (!found) throw notFound(id);
    // A tombstone has no content to carry over; the store refuses it again under its lock.
    if (found.forgottenAt) throw gone({ id, forgottenAt: found.forgottenAt, supersededBy: found.memory.superseded_by });
    const { occurred_at: happened, provenance } = found.memory;
    const beside = { tags: fields.tags ?? found.memory.tags, rule: fields.rule === undefined ? found.memory.rule : (fields.rule ?? undefined) };
    const [prepared] =
      content === undefined
        ? []
        : await prepare(
            context.caller.tenantId,
            [{ content, scopeKey: found.memory.scope_key, occurredAt: happened === undefined ? undefined : new Date(happened), beside }],
            context.embedder,
          );

    const { memoryNo, supersedes } = await context.writer.revise(
      id,
      {
        ...fields,
        content: prepared,
        flags: screen(found.memory.content, { ...beside, source: provenance.source }),
        expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
      },
      { expectedRevision, reason },
    );
    const memory = (await context.ownWrites.load([memoryNo])).get(memoryNo);
    if (!memory) throw new Error('a revised memory cannot be read back');
    return { memory, ...(supersedes !== undefined && { supersedes }) };
  },
});
