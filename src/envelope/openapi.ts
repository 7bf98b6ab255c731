import { failureCodes } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { about } from './about.ts';
import { errorSchema, jsonSchemaOf } from './schema.ts';

/** OpenAPI 3.1 of the REST envelope, from the same table that `tools/list` shows. */
export function describeApi(operations: readonly Operation[], baseUrl: string, hasTokenEndpoint: boolean): Record<string, unknown> {
  const statuses = Object.entries(failureCodes).map(([code, { status }]) => ({ code, status }));
  return {
    openapi: '3.1.0',
    info: { title: about.name, version: about.version, description: about.description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }, ...(hasTokenEndpoint ? [{ machine: [] }] : [])],
    paths: Object.fromEntries(operations.map((operation) => [`/v1/${operation.name}`, { post: describeVerb(operation, statuses) }])),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of a principal.' },
        ...(hasTokenEndpoint ? { machine: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth/token`, scopes: {} } } } } : {}),
      },
      schemas: { Error: { type: 'object', properties: { error: errorSchema }, required: ['error'] } },
      responses: Object.fromEntries(statuses.map(({ code }) => [code, describeFailure(code)])),
      headers: {
        RequestId: { description: 'Names this request in the service’s log.', schema: { type: 'string', pattern: '^req_[0-9a-z]{26}$' } },
        RetryAfter: { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 1 } },
      },
    },
  };
}

const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

function describeVerb(operation: Operation, failures: readonly { code: string; status: number }[]): Record<string, unknown> {
  const content = { 'application/json': { schema: jsonSchemaOf(operation.output, 'output') } };
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.summary,
    tags: [operation.name.split('.')[0]],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchemaOf(operation.input, 'input'), example: operation.example } },
    },
    responses: {
      200: { description: 'Done.', headers, content },
      ...(operation.partial === undefined ? {} : { 207: { description: 'Done in part; the result says which part.', headers, content } }),
      ...Object.fromEntries(failures.map(({ code, status }) => [status, { $ref: `#/components/responses/${code}` }])),
    },
  };
}

function describeFailure(code: string): Record<string, unknown> {
  return {
    description: `Refused with \`${code}\`.`,
    headers: code === 'rate_limited' ? { ...headers, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}
