import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FailureCode, failureCodes } from '../../src/failure.ts';
import { type StartedService, startService } from '../helpers/service.ts';
import { callTool, type HeaderMap, rest, rpcBody, send } from '../helpers/wire.ts';

/** The interface specification's table of errors, one case a row, sent through both envelopes. */
describe('every status of the table occurs in its case', () => {
  let service: StartedService;
  const forgotten = { id: '' };

  beforeAll(async () => {
    service = await startService();
    const { json } = await rest(service, 'memory.remember', { content: 'Forget me.', kind: 'fact' });
    forgotten.id = json.memory.id;
    await rest(service, 'memory.forget', forgotten);
    await rest(service, 'memory.remember', { content: 'Release on Tuesdays.', kind: 'fact' });
  });
  afterAll(() => service.close());

  const good = { content: 'Tests run before a release.', kind: 'lesson' };
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ content: `Fact ${index}.`, kind: 'fact' }));

  test('200: success', async () => {
    const overRest = await rest(service, 'memory.remember', good);
    expect(overRest.status).toBe(200);
    const overMcp = await callTool(service, 'memory.remember', good);
    expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: false, structuredContent: { created: false } } } });
    expect(JSON.parse(overMcp.json.result.content[0].text)).toEqual(overMcp.json.result.structuredContent);
    expect(overMcp.json.result.structuredContent.memory.id).toBe(overRest.json.memory.id);
  });

  test('207: a batch partly accepted is a success with a mixed result', async () => {
    const input = { memories: [good, { content: 'No kind.' }] };
    const overRest = await rest(service, 'memory.remember', input);
    expect(overRest).toMatchObject({ status: 207, json: { accepted: 1, rejected: 1 } });
    const overMcp = await callTool(service, 'memory.remember', input);
    expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: false, structuredContent: { accepted: 1, rejected: 1 } } } });
  });

  interface Case {
    title: string;
    code: FailureCode;
    verb: string;
    input(): unknown;
    headers?(): HeaderMap;
    retryable?: boolean;
  }
  const cases: Case[] = [
    { title: 'invalid input', code: 'validation', verb: 'memory.remember', input: () => ({ content: 'x', kind: 'rumour' }) },
    { title: 'no credential', code: 'unauthenticated', verb: 'memory.search', input: () => ({}), headers: () => ({ authorization: '' }) },
    { title: 'a bad credential', code: 'unauthenticated', verb: 'memory.search', input: () => ({}), headers: () => ({ authorization: 'Bearer wrong' }) },
    {
      title: 'a grant is missing',
      code: 'forbidden',
      verb: 'memory.remember',
      input: () => good,
      headers: () => ({ authorization: `Bearer ${service.readerToken}` }),
    },
    { title: 'an unknown memory', code: 'not_found', verb: 'memory.get', input: () => ({ id: 'mem_00000000000000000000000000' }) },
    { title: 'an unknown verb', code: 'not_found', verb: 'memory.dream', input: () => ({}) },
    {
      title: 'known content under another kind',
      code: 'conflict',
      verb: 'memory.remember',
      input: () => ({ content: 'Release on Tuesdays.', kind: 'lesson' }),
    },
    { title: 'a forgotten memory', code: 'gone', verb: 'memory.get', input: () => forgotten },
    { title: 'an oversized batch', code: 'payload_too_large', verb: 'memory.remember', input: () => ({ memories: many(257) }) },
  ];

  test.each(cases)('$code: $title', async ({ code, verb, input, headers = () => ({}) }) => {
    const { status, retryable } = failureCodes[code];
    const overRest = await rest(service, verb, input(), headers());
    expect(overRest.status).toBe(status);
    expect(overRest.json.error).toMatchObject({ code, retryable, message: expect.stringMatching(/\w/) });
    expect(overRest.json.error.request_id).toBe(overRest.headers.get('x-request-id'));

    const overMcp = await callTool(service, verb, input(), headers());
    expect(overMcp.status).toBe(200);
    expect(overMcp.json.result.isError).toBe(true);
    const { error } = overMcp.json.result.structuredContent;
    expect({ ...error, request_id: '' }).toEqual({ ...overRest.json.error, request_id: '' });
    expect(error.request_id).toBe(overMcp.headers.get('x-request-id'));
    expect(JSON.parse(overMcp.json.result.content[0].text)).toEqual({ error });
  });

  test('413: a body over 1 MiB is refused on both envelopes and names the limit', async () => {
    const input = { content: 'x'.repeat(1024 * 1024), kind: 'fact' };
    const overRest = await rest(service, 'memory.remember', input);
    expect(overRest).toMatchObject({ status: 413, json: { error: { code: 'payload_too_large', details: { limit_bytes: 1_048_576 } } } });
    const overMcp = await callTool(service, 'memory.remember', input);
    expect(overMcp).toMatchObject({ status: 413, json: { jsonrpc: '2.0', error: { data: { code: 'payload_too_large' } } } });
  });

  test('401 on REST carries a challenge', async () => {
    const { headers } = await rest(service, 'memory.search', {}, { authorization: '' });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="kneeboard"/);
  });

  test('429: over the rate, with Retry-After in whole seconds on both envelopes', async () => {
    const slow = await startService({ rateLimit: 2 });
    try {
      await rest(slow, 'memory.search', {});
      await callTool(slow, 'memory.search', {});
      const overRest = await rest(slow, 'memory.search', {});
      expect(overRest).toMatchObject({ status: 429, json: { error: { code: 'rate_limited', retryable: true } } });
      expect(overRest.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      const overMcp = await callTool(slow, 'memory.search', {});
      expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: true, structuredContent: { error: { code: 'rate_limited' } } } } });
      expect(overMcp.json.result.structuredContent.error.details.retry_after_s).toBeGreaterThanOrEqual(1);
      const list = await rpcBody(slow, { jsonrpc: '2.0', id: 'l', method: 'tools/list' });
      expect(list).toMatchObject({ status: 429, json: { id: 'l', error: { data: { code: 'rate_limited' } } } });
      expect(list.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      const broken = await send(slow, '/v1/memory.search', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${slow.token}` },
        body: '{',
      });
      expect(broken.status).toBe(429);
    } finally {
      await slow.close();
    }
  });

  test('500: a defect is answered without any of its text and logged with the request id', async () => {
    const defect = async () => {
      throw new Error('secret inner text');
    };
    const broken = await startService({ alter: (inner) => ({ ...inner, invoke: defect }) });
    try {
      const overRest = await rest(broken, 'memory.search', {});
      expect(overRest).toMatchObject({ status: 500, json: { error: { code: 'internal', retryable: true } } });
      const overMcp = await callTool(broken, 'memory.search', {});
      expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: true, structuredContent: { error: { code: 'internal' } } } } });
      expect(JSON.stringify([overRest.json, overMcp.json])).not.toContain('secret inner text');
      for (const { headers } of [overRest, overMcp]) {
        const id = headers.get('x-request-id') ?? 'none';
        expect(broken.log.filter((line) => line.includes(id) && line.includes('secret inner text'))).toHaveLength(1);
      }
    } finally {
      await broken.close();
    }
  });

  test('503: the store is down', async () => {
    const down = await startService({ ownDatabase: true });
    try {
      await down.breakStore();
      const overRest = await rest(down, 'memory.search', {});
      expect(overRest).toMatchObject({ status: 503, json: { error: { code: 'dependency_unavailable', retryable: true } } });
      const overMcp = await callTool(down, 'memory.search', {});
      expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: true, structuredContent: { error: { code: 'dependency_unavailable' } } } } });
      const list = await rpcBody(down, { jsonrpc: '2.0', id: 4, method: 'tools/list' });
      expect(list).toMatchObject({ status: 503, json: { id: 4, error: { data: { code: 'dependency_unavailable' } } } });
    } finally {
      await down.close();
    }
  });
});
