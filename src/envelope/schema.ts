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
 * The JSON Schema of a verb's input or output. `$schema` goes: 2020-12 is what its absence means, and validators that only know
 * draft 7 fail on the name. A root that is no object (a union's, say) is refused at start, because tool hosts refuse it later.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  if (rest.type !== 'object') throw new TypeError('the root of a verb’s schema must be an object');
  return { ...rest, type: 'object' } as ObjectSchema;
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
