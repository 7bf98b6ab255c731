import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';
import { type HeaderMap, json, rest, send, sendRaw, statusOf } from '../helpers/wire.ts';

describe('REST', () => {
  let service: StartedService;
  let authorized: HeaderMap;
  beforeAll(async () => {
    service = await startService();
    authorized = { ...json, authorization: `Bearer ${service.token}` };
  });
  afterAll(() => service.close());

  const post = (path: string, headers: HeaderMap, body?: string | Buffer) =>
    send(service, path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
  const utf16 = Buffer.from('{}', 'utf16le');

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('%s on a verb is 404', async (method) => {
    expect((await send(service, '/v1/memory.search', { method, headers: authorized })).status).toBe(404);
  });

  test.each(['/v1', '/v1/', '/v1/a/b', '/v1/memory.search/x'])('%s is no verb: 404', async (path) => {
    expect((await post(path, authorized, '{}')).status).toBe(404);
  });

  test.each([
    ['no media type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16le' }],
  ])('%s is a validation error that names content-type', async (_, headers) => {
    const answer = await post('/v1/memory.search', { ...authorized, ...headers }, utf16);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'validation', field: 'content-type' } } });
  });

  test.each([
    ['malformed JSON', '{"query": marmalade}', {}],
    ['no body', undefined, {}],
    ['an array', '["marmalade"]', {}],
    ['a string', '"marmalade"', {}],
    ['null', 'null', {}],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}],
    ['broken gzip', 'marmalade', { 'content-encoding': 'gzip' }],
    ['cut gzip', gzipSync('{"query":"marmalade"}').subarray(0, 20), { 'content-encoding': 'gzip' }],
    ['an unknown encoding', 'marmalade', { 'content-encoding': 'zip' }],
  ])('%s is a validation error and is not echoed', async (_, body, headers) => {
    const answer = await post('/v1/memory.search', { ...authorized, ...headers }, body);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'validation' } } });
    expect(JSON.stringify(answer.json)).not.toContain('marmalade');
  });

  test('whoever sends a broken body without a credential learns only that a credential is needed', async () => {
    expect((await post('/v1/memory.search', {}, '{')).status).toBe(401);
  });

  test('a compressed body is read', async () => {
    expect((await post('/v1/memory.search', { ...authorized, 'content-encoding': 'gzip' }, gzipSync('{}'))).status).toBe(200);
  });

  test('a small body that inflates beyond the limit is 413', async () => {
    const bomb = gzipSync(`{"query":"${'x'.repeat(8 * 1024 * 1024)}"}`);
    expect(bomb.length).toBeLessThan(20_000);
    expect((await post('/v1/memory.search', { ...authorized, 'content-encoding': 'gzip' }, bomb)).status).toBe(413);
  });

  test('a media type with a charset and odd case is JSON', async () => {
    expect((await post('/v1/memory.search', { ...authorized, 'content-type': 'Application/JSON; Charset="UTF-8"' }, '{}')).status).toBe(200);
  });

  test.each(['/v1/%', '/v1/%zz', '/v1/%ff', '/v1/memory.search%00'])('%s is refused with a status of the table', async (path) => {
    expect([400, 404]).toContain((await post(path, authorized, '{}')).status);
  });

  test('an unknown verb is told which ones there are, and which one was meant', async () => {
    const { json: body } = await rest(service, 'memory_search', {});
    expect(body.error).toMatchObject({
      code: 'not_found',
      details: { did_you_mean: 'memory.search', allowed: expect.arrayContaining(['memory.search', 'memory.remember']) },
    });
  });

  test('an upload that is cut off harms nobody', async () => {
    const head = `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 100\r\n\r\n{"que`;
    await sendRaw(service, head, { silentMs: 100 });
    expect((await rest(service, 'memory.search', {})).status).toBe(200);
  });

  test('a body in broken chunks is 400 with our envelope', async () => {
    const answer = await sendRaw(
      service,
      `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${service.token}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"code":"validation"');
  });
});
