import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../operation.ts';
import type { Outcome } from '../service.ts';
import { errorSchema, jsonSchemaOf, type ObjectSchema } from './schema.ts';

/** The table as `tools/list` shows it. All four hints are given: the defaults of the absent ones are the alarming ones. */
export function listTools(operations: readonly Operation[]): Tool[] {
  return operations.map((operation) => ({
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: jsonSchemaOf(operation.input, 'input') as Tool['inputSchema'],
    outputSchema: orFault(jsonSchemaOf(operation.output, 'output')),
    annotations: {
      title: operation.title,
      readOnlyHint: operation.effect === 'read',
      destructiveHint: operation.effect === 'destroy',
      idempotentHint: operation.idempotent,
      openWorldHint: false,
    },
  }));
}

/** How a call ended, as a tool result: a fault too is a result, so that the model that called can read it. */
export function toolResult(outcome: Outcome): CallToolResult {
  const structuredContent = outcome.ok ? outcome.output : { error: { ...outcome.error } };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent, isError: !outcome.ok };
}

/**
 * Clients of the SDK's 1.x line judge the structured content of faults by the output schema and hide the fault when it does not fit
 * (typescript-sdk #1943), so what is advertised admits `{error}` beside the success.
 */
function orFault({ additionalProperties: _, required = [], ...success }: ObjectSchema): ObjectSchema {
  const properties = { ...success.properties, error: errorSchema };
  return required.length === 0 ? { ...success, properties } : { ...success, properties, anyOf: [{ required }, { required: ['error'] }] };
}
