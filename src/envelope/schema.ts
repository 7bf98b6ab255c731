import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { failureCodes } from '../failure.ts';

/** A JSON Schema of dialect 2020-12 whose root is an object. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
}

/**
 * The JSON Schema of a verb's input or output. A root that is no object (a union's, say) is refused at start, because tool hosts
 * refuse it later.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const made = pruned(z.toJSONSchema(schema, { target: 'draft-2020-12', io })) as Record<string, unknown>;
  if (made.type !== 'object') throw new TypeError('the root of a verb’s schema must be an object');
  return { ...made, type: 'object' };
}

/**
 * Takes out what costs every reader tokens and says nothing, or confuses some: `$schema` (2020-12 is what its absence means, and
 * validators that know draft 7 only fail on the name), the bounds of safe integers, and what holds of any object.
 */
function pruned(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(pruned);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([keyword, value]) => !saysNothing(keyword, value))
      .map(([keyword, value]) => [keyword, pruned(value)]),
  );
}

function saysNothing(keyword: string, value: unknown): boolean {
  if (keyword === '$schema') return typeof value === 'string';
  if (keyword === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (keyword === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  if (keyword === 'additionalProperties') return isDeepStrictEqual(value, {});
  return keyword === 'propertyNames' && isDeepStrictEqual(value, { type: 'string' });
}

export const errorSchema: ObjectSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: Object.keys(failureCodes) },
    message: { type: 'string' },
    field: { type: 'string', description: 'Dotted path of the input field to fix.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    request_id: { type: 'string', description: 'The same as in the X-Request-Id header.' },
    details: { type: 'object', description: 'For example allowed values, a valid example, or seconds to wait.' },
  },
  required: ['code', 'message', 'retryable', 'request_id'],
};
