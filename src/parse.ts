import type { z } from 'zod';
import { Failure } from './failure.ts';

/** Deeper input is refused before anything walks it. */
const deepest = 32;

/**
 * Judges input by a schema.
 * @param at path of the input within the request, for the field's name; `['memories', 3]` → `memories.3.kind`.
 * @throws Failure `validation` that names the field, with `details.example` and `details.allowed` where they are known.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, at: readonly PropertyKey[] = []): z.output<Schema> {
  refuseUnstorable(input, at);
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw new Failure('validation', 'The input is not valid.');
  throw refusal(issue, at);
}

function refusal(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): Failure {
  const path = [...at, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const field = fieldName([...path, issue.keys[0] ?? '']);
      return new Failure('validation', `Unknown field \`${field}\`.`, { field });
    }
    case 'invalid_value':
      return about(path, `must be one of ${issue.values.map(String).join(', ')}`, { allowed: issue.values });
    case 'invalid_type':
      return about(path, issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`);
    case 'too_big':
      return about(path, `must have at most ${issue.maximum} ${unit(issue.origin)}`.trim(), { maximum: Number(issue.maximum) });
    case 'too_small':
      return about(path, `must have at least ${issue.minimum} ${unit(issue.origin)}`.trim(), { minimum: Number(issue.minimum) });
    case 'custom':
      return about(path, issue.message, issue.params);
    default:
      return about(path, 'is not valid');
  }
}

function about(path: readonly PropertyKey[], problem: string, details?: Record<string, unknown>): Failure {
  const field = fieldName(path);
  return new Failure('validation', field === '' ? `The input ${problem}.` : `\`${field}\` ${problem}.`, {
    ...(field !== '' && { field }),
    ...(details && { details }),
  });
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function article(expected: string): string {
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function unit(origin: string): string {
  return origin === 'string' ? 'characters' : origin === 'array' ? 'items' : '';
}

/** Postgres stores neither U+0000 nor half a surrogate pair, and nothing here needs deep nesting. Walks without recursion. */
function refuseUnstorable(input: unknown, at: readonly PropertyKey[]): void {
  const left: { value: unknown; path: PropertyKey[] }[] = [{ value: input, path: [...at] }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, path } = next;
    if (path.length > deepest) throw about(path.slice(0, 2), `is nested more than ${deepest} levels deep`);
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw about(path, 'holds U+0000 or half of a surrogate pair, which cannot be stored');
    }
    if (value === null || typeof value !== 'object') continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key.includes('\0') || !key.isWellFormed()) throw about(path, 'has a key that holds U+0000 or half of a surrogate pair');
      left.push({ value: inner, path: [...path, key] });
    }
  }
}
