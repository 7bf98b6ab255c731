import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';
import { callTool, modernRpc, rest, rpc, rpcBody, send } from '../helpers/wire.ts';

/** The interface specification, sentence by sentence, over the wire. */
let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const remember = (content: string, rest_: Record<string, unknown> = {}) => rest(service, 'memory.remember', { content, kind: 'lesson', ...rest_ });
const verbs = ['memory.forget', 'memory.get', 'memory.remember', 'memory.revise', 'memory.search', 'preflight.action', 'preflight.report'];

describe('what the service does', () => {
  test('it stores typed, scoped memories and returns them on search', async () => {
    await remember('Pin the compiler version in CI.', { scope_key: 'repo:acme/spec' });
    const { json } = await rest(service, 'memory.search', { query: 'compiler version', filters: { scope_key: 'repo:acme/spec' } });
    expect(json.hits[0]).toMatchObject({ content: 'Pin the compiler version in CI.', kind: 'lesson', scope_key: 'repo:acme/spec' });
  });

  test('it judges a described action before it runs and returns an advisory verdict with reasons and citations', async () => {
    const action = { action_type: 'code.patch.apply', summary: 'rename a function', changed_files: ['src/a.ts'], scope_key: 'repo:acme/spec-preflight' };
    const { json } = await rest(service, 'preflight.action', { action });
    expect(json).toMatchObject({ verdict: 'allow', advisory: true, reasons: [expect.any(Object)], citations: [] });
  });

  test('request bodies of REST calls equal the MCP arguments object, and so do the results', async () => {
    const input = { query: 'compiler version', filters: { scope_key: 'repo:acme/spec' } };
    const [overRest, overMcp] = [await rest(service, 'memory.search', input), await callTool(service, 'memory.search', input)];
    const strip = (result: { hits: { id: string }[] }) => result.hits.map(({ id }) => id);
    expect(strip(overMcp.json.result.structuredContent)).toEqual(strip(overRest.json));
  });

  test('there is no initialize step: every request stands alone', async () => {
    expect((await rpc(service, 'tools/list')).json.result.tools).toHaveLength(7);
  });

  test('seven tools are served', async () => {
    const { json } = await rpc(service, 'tools/list');
    expect(json.result.tools.map(({ name }: { name: string }) => name).sort()).toEqual(verbs);
  });

  test('a caller sees only what its credential is allowed to see', async () => {
    const { json } = await remember('Only for the owner of another tenant.');
    const stranger = await startService();
    expect(await rest(stranger, 'memory.get', { id: json.memory.id })).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    await stranger.close();
  });
});

describe('memory', () => {
  test('a malformed scope_key is a validation error naming field scope_key, with an example', async () => {
    const { status, json } = await remember('x', { scope_key: 'acme/api' });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'validation', field: 'scope_key', retryable: false, details: { example: expect.stringMatching(/^repo:/) } });
  });

  test('writing is idempotent: sending the same content twice does not create two memories', async () => {
    const [one, two] = [await remember('Say it twice.'), await remember('Say it twice.')];
    expect([one.json.created, two.json.created]).toEqual([true, false]);
    expect(two.json.memory.id).toBe(one.json.memory.id);
  });

  test('other allowed kinds and scope levels are enumerated in details.allowed', async () => {
    expect((await remember('x', { kind: 'rumour' })).json.error.details.allowed).toEqual(expect.arrayContaining(['lesson', 'policy']));
    expect((await remember('x', { scope_key: 'planet:earth' })).json.error.details.allowed).toEqual(expect.arrayContaining(['repo:<id>']));
  });

  test('scope_key pins the memory so that it does not surface for a different scope', async () => {
    await remember('Pinned to one repository: quetzal.', { scope_key: 'repo:acme/one' });
    const { json } = await rest(service, 'memory.search', { query: 'quetzal', filters: { scope_key: 'repo:acme/two' } });
    expect(json.hits.map(({ scope_key }: { scope_key: string }) => scope_key)).not.toContain('repo:acme/one');
  });
});

describe('search', () => {
  test('a search hit carries its provenance and a score breakdown in addition to text', async () => {
    await remember('Provenance is carried by hits.');
    const { json } = await rest(service, 'memory.search', { query: 'provenance carried by hits' });
    expect(json.hits[0]).toMatchObject({
      content: 'Provenance is carried by hits.',
      provenance: { principal: { id: expect.stringMatching(/^prn_/), name: expect.any(String) }, at: expect.any(String), revision: 1 },
      score_breakdown: { vector: { weight: expect.any(Number) }, text: { bm25: expect.any(Number) }, recency: {}, authority: { kind: 'lesson' } },
    });
  });

  test('an empty result list is a valid answer, not an error', async () => {
    const { status, json } = await rest(service, 'memory.search', { query: 'anything', filters: { scope_key: 'session:nothing-here', scope_mode: 'exact' } });
    expect([status, json]).toEqual([200, { hits: [] }]);
  });
});

describe('errors', () => {
  test('the error envelope has code, message, field, retryable, request_id and details', async () => {
    const { json, headers } = await remember('x', { kind: 'rumour' });
    expect(json).toEqual({
      error: {
        code: 'validation',
        message: expect.any(String),
        field: 'kind',
        retryable: false,
        request_id: expect.stringMatching(/^req_/),
        details: { allowed: expect.any(Array) },
      },
    });
    expect(headers.get('x-request-id')).toBe(json.error.request_id);
  });

  test('a fault on MCP arrives as HTTP 200 with isError true in the tool result, with the same code', async () => {
    const { status, json } = await callTool(service, 'memory.remember', { content: 'x', kind: 'rumour' });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'validation', field: 'kind' } } });
    expect(JSON.parse(json.result.content[0].text)).toEqual(json.result.structuredContent);
  });

  test.each(['memory_search', 'kneeboard_memory_search', 'mcp__kneeboard__memory_search', 'Memory.Search'])(
    'a call with the non-canonical name %s fails as not found',
    async (name) => {
      const { status, json } = await callTool(service, name, {});
      expect(status).toBe(200);
      expect(json.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
    },
  );

  test('422 is never emitted', async () => {
    for (const input of [null, [], 'x', { query: 1 }, { filters: [] }]) expect((await rest(service, 'memory.search', input)).status).toBe(400);
  });
});

describe('MCP', () => {
  test('server/discover requires no credential and returns the protocol version and the verbs', async () => {
    const { status, json } = await rpc(service, 'server/discover', undefined, { authorization: '' });
    expect(status).toBe(200);
    expect([...json.result.verbs].sort()).toEqual(verbs);
    expect(json.result).toMatchObject({ protocolVersion: '2026-07-28', limits: expect.any(Object) });
  });

  test('server/discover answers the 2026-07-28 form alike', async () => {
    const { json } = await modernRpc(service, 'server/discover', {}, { authorization: '' });
    expect(json.result).toMatchObject({ resultType: 'complete', protocolVersion: '2026-07-28', supportedVersions: ['2026-07-28'] });
  });

  test('tools/list returns the tools with their schemas', async () => {
    for (const tool of (await rpc(service, 'tools/list')).json.result.tools) {
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' }, description: expect.any(String) });
    }
  });

  test('an id may be a number or a string', async () => {
    for (const id of [7, 'seven']) expect((await rpcBody(service, { jsonrpc: '2.0', id, method: 'tools/list' })).json.id).toBe(id);
  });
});

describe('authentication', () => {
  test.each(['tools/list', 'tools/call'])('%s requires a credential', async (method) => {
    const { json } = await rpc(service, method, method === 'tools/call' ? { name: 'memory.search', arguments: {} } : undefined, { authorization: '' });
    expect(JSON.stringify(json)).toMatch(/unauthenticated|unauthorized|credential/i);
  });

  test('a missing or invalid credential yields unauthenticated, HTTP 401 on REST', async () => {
    for (const authorization of ['', 'Bearer wrong', 'Basic d3Jvbmc6d3Jvbmc=']) {
      expect(await rest(service, 'memory.search', {}, { authorization })).toMatchObject({ status: 401, json: { error: { code: 'unauthenticated' } } });
    }
  });

  test('a separate token endpoint answers errors in the RFC 6749 shape, with its correlation id only in X-Request-Id', async () => {
    const { status, json, headers } = await send(service, '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=nobody&client_secret=nothing',
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: 'invalid_client' });
    expect(JSON.stringify(json)).not.toContain('req_');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('machine principals can be enrolled for unattended use', async () => {
    const { json } = await send(service, '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: service.client.id, client_secret: service.client.secret }).toString(),
    });
    expect(json).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer', expires_in: expect.any(Number) });
    expect((await rest(service, 'memory.search', {}, { authorization: `Bearer ${json.access_token}` })).status).toBe(200);
  });
});

describe('limits', () => {
  test('a 429 response carries Retry-After in whole seconds', async () => {
    const narrow = await startService({ rateLimit: 1 });
    await rest(narrow, 'memory.search', {});
    const { status, headers, json } = await rest(narrow, 'memory.search', {});
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(json.error).toMatchObject({ code: 'rate_limited', retryable: true });
    await narrow.close();
  });

  test('an oversized batch yields 413 payload_too_large', async () => {
    const memories = Array.from({ length: 257 }, (_, n) => ({ content: `n ${n}`, kind: 'fact' }));
    expect(await rest(service, 'memory.remember', { memories })).toMatchObject({ status: 413, json: { error: { code: 'payload_too_large' } } });
  });
});

describe('versioning', () => {
  test('REST paths are prefixed /v1', async () => {
    expect((await send(service, '/memory.search', { method: 'POST' })).status).toBe(404);
    expect((await rest(service, 'memory.search', {})).status).toBe(200);
  });
});
