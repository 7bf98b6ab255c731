import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { time } from '../memory/memory.ts';

const memoryIdText = z.string().regex(/^mem_[0-9a-z]{26}$/);

/** A cursor holds a place, never an admission: whoever sends one sees only what their own credential admits. */
const cursor = z.union([
  z.strictObject({ for: z.string(), at: time, score: z.number(), id: memoryIdText }),
  z.strictObject({ for: z.string(), after: memoryIdText }),
]);
export type Cursor = z.output<typeof cursor>;

/** What distinguishes `Cursor` shapes apart from the search they belong to. */
type Unbound = Cursor extends infer One ? (One extends unknown ? Omit<One, 'for'> : never) : never;

export function writeCursor(search: unknown, place: Unbound): string {
  return Buffer.from(JSON.stringify({ for: searchKey(search), ...place })).toString('base64url');
}

/** @throws Failure `validation` for a cursor that is not ours or belongs to another search. */
export function readCursor(search: unknown, text: string): Cursor {
  const parsed = cursor.safeParse(decode(text));
  if (!parsed.success) throw new Failure('validation', '`cursor` is not one that a search returned.', { field: 'cursor' });
  if (parsed.data.for !== searchKey(search)) {
    throw new Failure('validation', '`cursor` belongs to another search. Send it with the same query, filters and min_score.', { field: 'cursor' });
  }
  return parsed.data;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function searchKey(search: unknown): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('base64url').slice(0, 16);
}
