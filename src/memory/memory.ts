import { z } from 'zod';
import { scopeKeyExample, scopeKeyPattern, scopeLevels } from './scope.ts';

/** The words of the domain as schemas: input fields with their bounds, and what a stored memory looks like to a caller. */
export const kinds = ['policy', 'lesson', 'decision', 'fact', 'preference', 'procedure', 'event', 'note'] as const;
export type Kind = (typeof kinds)[number];

export const statuses = ['live', 'superseded', 'forgotten', 'expired'] as const;
export type Status = (typeof statuses)[number];

/** Bounds of one memory. Reported by `server/discover`. */
export const limits = {
  contentChars: 32_000,
  tags: 32,
  tagChars: 64,
  sourceChars: 2_000,
  reasonChars: 2_000,
  queryChars: 8_000,
  batchItems: 256,
  pageItems: 100,
} as const;

export const kind = z.enum(kinds).meta({ description: 'Types the memory. A policy governs, a lesson advises, everything else informs.' });

export const scopeKey = z
  .string()
  .refine((text) => scopeKeyPattern.test(text), {
    error: 'must have the form <level>:<id>',
    params: { example: scopeKeyExample, allowed: scopeLevels.map((level) => `${level}:<id>`) },
  })
  .meta({
    description: `Where the memory is pinned, <level>:<id>; levels: ${scopeLevels.join(', ')}. Enclosing scopes are read off the id: branch:acme/api@main lies in repo:acme/api, which lies in org:acme.`,
    pattern: scopeKeyPattern.source,
    examples: [scopeKeyExample],
  });

export const content = z
  .string()
  .max(limits.contentChars)
  .refine((text) => text.trim() !== '', { error: 'must not be empty' })
  .meta({ description: 'The text to remember. The identity of the memory is derived from it.', minLength: 1, maxLength: limits.contentChars });

export const time = z
  .string()
  .refine((text) => z.iso.datetime({ offset: true }).safeParse(text).success && isStorable(new Date(text)), {
    error: 'must be an RFC 3339 time',
    params: { example: '2026-11-20T12:00:00Z' },
  })
  .meta({ format: 'date-time' });

/** Postgres knows no year 0; an offset can lead there. */
function isStorable(date: Date): boolean {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
}

export const tags = z.array(z.string().min(1).max(limits.tagChars)).max(limits.tags).meta({ description: 'Labels to filter by.' });

export const source = z
  .strictObject({
    uri: z.string().min(1).max(limits.sourceChars).optional(),
    title: z.string().min(1).max(limits.sourceChars).optional(),
    commit: z.string().min(1).max(200).optional(),
  })
  .meta({ description: 'Where the text comes from.' });
export type Source = z.output<typeof source>;

export const reason = z.string().min(1).max(limits.reasonChars).meta({ description: 'Why, for the history.' });

export const effects = ['allow', 'warn', 'require_approval', 'block'] as const;
export type Effect = (typeof effects)[number];

const patterns = z.array(z.string().min(1).max(500)).min(1).max(64);
const conditions = z
  .strictObject({
    action_types: patterns.optional().meta({ description: 'Dotted action types; * stands for any run of characters.' }),
    paths: patterns.optional().meta({ description: 'Globs over changed files.' }),
    commands: patterns.optional().meta({ description: 'Globs over the command line.' }),
  })
  .refine((when) => Object.values(when).some((list) => list !== undefined), { error: 'must name at least one of action_types, paths, commands' });
export type Conditions = z.output<typeof conditions>;

export const rule = z
  .strictObject({
    effect: z.enum(effects),
    when: conditions,
    unless: conditions.optional(),
    message: z.string().min(1).max(500).optional(),
    severity: z.enum(['low', 'medium', 'high', 'critical']).optional(),
  })
  .meta({ description: 'Makes a policy exact: it applies when every condition named in `when` matches the action and `unless` does not.' });
export type Rule = z.output<typeof rule>;

/** One memory as it is written; the item of a batch too. */
export const memoryInput = z.strictObject({
  content,
  kind,
  scope_key: scopeKey.optional(),
  tags: tags.optional(),
  source: source.optional(),
  occurred_at: time.optional().meta({ description: 'When it happened or became true, if not now.' }),
  expires_at: time.optional().meta({ description: 'From then on it behaves as forgotten.' }),
  rule: rule.optional(),
});
export type MemoryInput = z.output<typeof memoryInput>;

const principal = z.object({ id: z.string(), name: z.string(), type: z.enum(['person', 'machine']) });
export type PrincipalRef = z.output<typeof principal>;

export const provenance = z.object({
  principal,
  at: z.string(),
  revision: z.int(),
  source: source.optional(),
  corroborations: z.array(z.object({ principal, at: z.string(), source: source.optional() })),
  supersedes: z.array(z.string()).optional(),
  check_id: z.string().optional(),
});

/** A stored memory as callers see it. */
export const memory = z.object({
  id: z.string(),
  content: z.string(),
  kind: z.enum(kinds),
  scope_key: z.string().nullable(),
  tags: z.array(z.string()),
  rule: rule.optional(),
  status: z.enum(statuses),
  revision: z.int(),
  created_at: z.string(),
  occurred_at: z.string().optional(),
  expires_at: z.string().optional(),
  superseded_by: z.string().optional(),
  embedding: z.enum(['ready', 'pending']),
  flags: z.array(z.string()),
  provenance,
});
export type Memory = z.output<typeof memory>;
