import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';
import { callTool, json, modernRpc, rest, rpc, rpcBody, send } from '../helpers/wire.ts';

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const noCredential = { authorization: '' };

describe('server/discover', () => {
  test('needs no credential and tells the protocol version, the verbs and the limits', async () => {
    const { status, json: answer } = await rpc(service, 'server/discover', undefined, noCredential);
    expect(status).toBe(200);
    expect(answer.result).toMatchObject({
      protocolVersion: '2026-07-28',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      resultType: 'complete',
      cacheScope: 'public',
      limits: { body_bytes: 1_048_576, items: { 'memory.remember': { memories: 256 } } },
    });
    expect(answer.result.verbs).toContain('memory.search');
  });

  test('is answered alike to a client of the current revision', async () => {
    const bare = await rpc(service, 'server/discover', undefined, noCredential);
    const current = await modernRpc(service, 'server/discover', {}, noCredential);
    expect(current.json).toEqual(bare.json);
  });

  test('that names the current revision in the header but not in _meta is malformed', async () => {
    const answer = await rpc(service, 'server/discover', undefined, { ...noCredential, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32602 } } });
  });

  test('inside a batch is no way past the credential', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'server/discover' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    expect((await rpcBody(service, batch, noCredential)).status).toBe(401);
  });
});

describe('tools/list', () => {
  test('shows every verb with schemas and all four hints, and no initialize came before', async () => {
    const { json: answer } = await rpc(service, 'tools/list');
    const { json: discovery } = await rpc(service, 'server/discover');
    expect(answer.result.tools.map(({ name }: { name: string }) => name)).toEqual(discovery.result.verbs);
    for (const tool of answer.result.tools) {
      expect(tool.name).toMatch(/^[a-z]+\.[a-z]+$/);
      expect(tool.description).toMatch(/\w/);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object', properties: { error: { type: 'object' } } });
      expect(JSON.stringify(tool)).not.toContain('$schema');
      expect(Object.keys(tool.annotations).sort()).toEqual(['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title']);
      expect(tool.annotations.openWorldHint).toBe(false);
      expect(tool.annotations.readOnlyHint && tool.annotations.destructiveHint).toBe(false);
    }
  });

  test('is the same for every principal, as its cache hint says', async () => {
    const owner = await modernRpc(service, 'tools/list');
    const reader = await modernRpc(service, 'tools/list', {}, { authorization: `Bearer ${service.readerToken}` });
    expect(owner.json.result).toMatchObject({ cacheScope: 'public', ttlMs: expect.any(Number) });
    expect(reader.json).toEqual(owner.json);
  });
});

describe('tools/call', () => {
  test.each([
    ['memory_search', 'memory.search'],
    ['mcp__kneeboard__memory_search', 'memory.search'],
    ['kneeboard.memory.remember', 'memory.remember'],
    ['memorySearch', 'memory.search'],
    ['Memory.Search', 'memory.search'],
  ])('of the rewritten name %s is not found and names %s', async (name, canonical) => {
    const { status, json: answer } = await callTool(service, name, {});
    expect(status).toBe(200);
    expect(answer.result.isError).toBe(true);
    expect(answer.result.structuredContent.error).toMatchObject({
      code: 'not_found',
      details: { did_you_mean: canonical, allowed: expect.arrayContaining([canonical]) },
    });
  });

  test.each(['', 'constructor', '__proto__', 'toString', '.', 'x'.repeat(5_000)])('of the name %j is not found', async (name) => {
    const { json: answer } = await callTool(service, name, {});
    expect(answer.result.structuredContent.error.code).toBe('not_found');
  });

  test.each([
    ['no params', undefined],
    ['params that are a string', 'x'],
    ['params without a name', { arguments: {} }],
    ['a name that is a number', { name: 5, arguments: {} }],
    ['arguments that are a string', { name: 'memory.search', arguments: 'x' }],
    ['arguments that are null', { name: 'memory.search', arguments: null }],
    ['arguments that are an array', { name: 'memory.search', arguments: [] }],
    ['an unknown argument', { name: 'memory.search', arguments: { quarry: 'x' } }],
  ])('with %s is the fault validation', async (_, params) => {
    const answer = await rpc(service, 'tools/call', params);
    expect(answer).toMatchObject({ status: 200, json: { id: 1, result: { isError: true, structuredContent: { error: { code: 'validation' } } } } });
  });

  test('with malformed arguments is the fault validation in the current revision too', async () => {
    const answer = await modernRpc(service, 'tools/call', { name: 'memory.search', arguments: 7 });
    expect(answer).toMatchObject({
      status: 200,
      json: { result: { resultType: 'complete', isError: true, structuredContent: { error: { code: 'validation' } } } },
    });
  });

  test('without arguments means no arguments', async () => {
    expect((await rpc(service, 'tools/call', { name: 'memory.search' })).json.result.isError).toBe(false);
  });

  test('hands the arguments on as they were sent, __proto__ included', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory.search","arguments":{"__proto__":1}}}';
    const headers = { ...json, authorization: `Bearer ${service.token}` };
    const overMcp = await send(service, '/mcp', { method: 'POST', headers, body });
    const overRest = await send(service, '/v1/memory.search', { method: 'POST', headers, body: '{"__proto__":1}' });
    expect(overMcp.json.result.structuredContent?.error?.code).toBe(overRest.json.error?.code);
  });

  test('as a notification is accepted and not run', async () => {
    const content = 'Nobody waits for this.';
    const answer = await rpcBody(service, { jsonrpc: '2.0', method: 'tools/call', params: { name: 'memory.remember', arguments: { content, kind: 'fact' } } });
    expect(answer.status).toBe(202);
    expect((await rest(service, 'memory.search', { query: content })).json.hits).toEqual([]);
  });
});

describe('a missing or bad credential', () => {
  test.each([noCredential, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }])(
    'makes a bare tools/call the fault unauthenticated: %o',
    async (headers) => {
      const answer = await callTool(service, 'memory.search', {}, headers);
      expect(answer).toMatchObject({ status: 200, json: { result: { isError: true, structuredContent: { error: { code: 'unauthenticated' } } } } });
    },
  );

  test('makes a tools/call that names a revision a 401, on which clients fetch a new token', async () => {
    for (const answer of [
      await callTool(service, 'memory.search', {}, { ...noCredential, 'mcp-protocol-version': '2025-06-18' }),
      await modernRpc(service, 'tools/call', { name: 'memory.search', arguments: {} }, noCredential),
    ]) {
      expect(answer).toMatchObject({ status: 401, json: { jsonrpc: '2.0', id: 1, error: { data: { code: 'unauthenticated' } } } });
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="kneeboard", resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`,
      );
    }
  });

  test.each(['initialize', 'ping', 'tools/list', 'prompts/list', 'no/such', 'notifications/initialized'])('makes %s a 401 with a challenge', async (method) => {
    const answer = await rpc(service, method, {}, { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('the endpoint', () => {
  test.each(['GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'])('answers %s with 405 and what is allowed', async (method) => {
    const answer = await send(service, '/mcp', { method, headers: { accept: 'text/event-stream' } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('answers another media type with 415', async () => {
    expect((await rpc(service, 'tools/list', undefined, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test.each(['', '{', 'null', '5', '"x"', '[]'])('answers the body %j with 400 and a JSON-RPC error', async (body) => {
    const answer = await send(service, '/mcp', { method: 'POST', headers: { ...json, authorization: `Bearer ${service.token}` }, body });
    expect(answer).toMatchObject({ status: 400, json: { jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } } });
  });

  test('does not mind what is accepted, which host is named and which session is remembered', async () => {
    for (const headers of [{ accept: 'text/html' }, { accept: '*/*' }, { 'mcp-session-id': 'of another server', 'last-event-id': '7' }]) {
      const answer = await rpc(service, 'tools/list', undefined, headers);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(answer.headers.get('mcp-session-id')).toBeNull();
    }
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('answers initialize of %s and keeps nothing of it', async (protocolVersion) => {
    const answer = await rpc(service, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '0' } });
    expect(answer).toMatchObject({ status: 200, json: { result: { protocolVersion, serverInfo: { name: 'kneeboard' } } } });
    expect((await rpcBody(service, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test('answers an unknown method as its revision says', async () => {
    expect(await rpc(service, 'no/such')).toMatchObject({ status: 200, json: { error: { code: -32601 } } });
    expect(await modernRpc(service, 'no/such')).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
  });

  test('refuses headers of the current revision that contradict the body', async () => {
    const answer = await modernRpc(service, 'tools/call', { name: 'memory.search', arguments: {} }, { 'mcp-name': 'memory.get' });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32020 } } });
  });

  test('refuses a revision that nobody knows', async () => {
    const answer = await rpc(
      service,
      'tools/list',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} } },
      { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' },
    );
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } } } });
  });

  test('ends a subscription at once, as there is nothing to be told of', async () => {
    const answer = await modernRpc(service, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(answer.status).toBe(200);
    expect(answer.json).toContain('"resultType":"complete"');
  });
});

describe('a batch of revision 2025-03-26', () => {
  const call = (id: number | string, name = 'memory.search') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

  test('is answered one by one', async () => {
    const { json: answers } = await rpcBody(service, [call(1), call('b', 'memory_search'), { jsonrpc: '2.0', id: 3, method: 'tools/list' }]);
    const byId = new Map(answers.map((answer: { id: unknown }) => [answer.id, answer]));
    expect(byId.get(1)).toMatchObject({ result: { isError: false } });
    expect(byId.get('b')).toMatchObject({ result: { isError: true, structuredContent: { error: { code: 'not_found' } } } });
    expect(byId.get(3)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  test('is not left waiting for a call that it cancels itself', async () => {
    const answer = await rpcBody(service, [call(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }]);
    expect(answer.status).toBe(200);
  });

  test('of notifications is accepted', async () => {
    expect((await rpcBody(service, [{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202);
  });

  test('with an id used twice is refused', async () => {
    expect((await rpcBody(service, [call(1), call(1)])).status).toBe(400);
  });

  test('counts every call against the rate', async () => {
    const slow = await startService({ rateLimit: 3 });
    const { json: answers } = await rpcBody(slow, [call(1), call(2), call(3), call(4)]);
    await slow.close();
    expect(answers.filter(({ result }: { result: { isError: boolean } }) => result.isError)).toHaveLength(1);
  });
});
