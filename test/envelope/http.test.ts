import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListenError, startHttp } from '../../src/envelope/listen.ts';
import { createLogger } from '../../src/logger.ts';
import { type StartedService, startService } from '../helpers/service.ts';
import { json, rest, rpc, send, sendRaw, statusOf } from '../helpers/wire.ts';

const requestId = /^req_[0-9a-z]{26}$/;

describe('every answer', () => {
  let service: StartedService;
  beforeAll(async () => {
    service = await startService({ allowedOrigins: ['https://console.example'] });
  });
  afterAll(() => service.close());

  test.each([
    ['POST', '/v1/memory.search'],
    ['GET', '/v1/memory.search'],
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['POST', '/oauth/token'],
    ['GET', '/openapi.json'],
    ['GET', '/healthz'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/%zz'],
    ['TRACE', '/'],
  ])('to %s %s carries a request id', async (method, path) => {
    const answer = await sendRaw(service, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(/x-request-id: (.*)\r\n/i.exec(answer)?.[1]).toMatch(requestId);
  });

  test.each([
    ['no HTTP at all', 'hello there\r\n\r\n'],
    ['an unknown method', 'BREW /v1/x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header that is too long', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['two lengths', 'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['length and chunks', 'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['no Host', 'POST /v1/memory.search HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('to %s is 400 in our form with a request id', async (_, bytes) => {
    const answer = await sendRaw(service, bytes);
    expect(statusOf(answer)).toBe(400);
    const id = /x-request-id: (.*)\r\n/i.exec(answer)?.[1] ?? '';
    expect(id).toMatch(requestId);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error).toMatchObject({ code: 'validation', request_id: id });
  });

  test('an Expect that is not known is disregarded', async () => {
    const head = `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 2\r\n`;
    expect(statusOf(await sendRaw(service, `${head}Expect: a miracle\r\n\r\n{}`))).toBe(200);
    expect(await sendRaw(service, `${head}Expect: 100-continue\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443', 'https://console.example'])(
    'a page of %s may call and is told so',
    async (origin) => {
      const answer = await rest(service, 'memory.search', {}, { origin });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    },
  );

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'https://console.example.evil', 'http://console.example'])(
    'a page of %s may not call',
    async (origin) => {
      expect(await rest(service, 'memory.search', {}, { origin })).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } });
      expect(await rpc(service, 'server/discover', undefined, { origin })).toMatchObject({
        status: 403,
        json: { jsonrpc: '2.0', error: { data: { code: 'forbidden' } } },
      });
      expect(await send(service, '/oauth/token', { method: 'POST', headers: { origin } })).toMatchObject({ status: 403, json: { error: 'invalid_request' } });
    },
  );

  test('the service’s own page may call', async () => {
    expect((await rest(service, 'memory.search', {}, { origin: service.url })).status).toBe(200);
  });

  test('a preflight of an allowed page is answered within the table', async () => {
    const headers = {
      origin: 'https://console.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const answer = await send(service, '/v1/memory.search', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  });

  test('nothing tells what the service is made of', async () => {
    expect((await rest(service, 'memory.search', {})).headers.get('x-powered-by')).toBeNull();
  });
});

describe('listening', () => {
  const slowApp = (ms: number) => express().get('/', (_req, res) => void setTimeout(() => res.send('done'), ms));

  test('a taken port is told in a sentence that names the way out', async () => {
    const first = await startHttp(express(), { host: '127.0.0.1', port: 0 });
    const port = Number(new URL(first.address).port);
    await expect(startHttp(express(), { host: '127.0.0.1', port })).rejects.toThrow(ListenError);
    await expect(startHttp(express(), { host: '127.0.0.1', port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken. Stop what listens there or set KNEEBOARD_PORT`,
    );
    await first.close();
  });

  test('closing lets a request in flight finish and refuses new ones', async () => {
    const { address, close } = await startHttp(slowApp(300), { host: '127.0.0.1', port: 0 });
    const inFlight = fetch(address).then((response) => response.text());
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = close();
    await expect(fetch(address)).rejects.toThrow();
    expect(await inFlight).toBe('done');
    await closed;
  });

  test('closing does not wait for connections that are kept alive', async () => {
    const { address, close } = await startHttp(slowApp(0), { host: '127.0.0.1', port: 0 });
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => request(address, { agent }, (res) => res.resume().on('end', resolve)).end());
    const startedAt = performance.now();
    await close();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    agent.destroy();
  });

  test('closing cuts what does not finish within the limit', async () => {
    const { address, close } = await startHttp(slowApp(60_000), { host: '127.0.0.1', port: 0 });
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    await close({ timeoutMs: 200 });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

test('the log has one line a request with its id, verb, principal, status and time, and no content or token', async () => {
  const service = await startService();
  const { headers } = await rest(service, 'memory.remember', { content: 'The marmalade is in the cellar.', kind: 'fact' });
  await rpc(service, 'tools/call', { name: 'The marmalade', arguments: {} });
  await send(service, '/v1/marmalade?marmalade', { method: 'POST', headers: json });
  await service.close();
  expect(service.log).toHaveLength(3);
  expect(JSON.parse(service.log[0] ?? '')).toMatchObject({
    request_id: headers.get('x-request-id'),
    envelope: 'rest',
    verb: 'memory.remember',
    principal: expect.stringMatching(/^prn_/),
    status: 200,
    ms: expect.any(Number),
  });
  expect(service.log.join('')).not.toContain('marmalade');
  expect(service.log.join('')).not.toContain(service.token);
});

test('the log shows of an error what it is and where, not the row that caused it, and blots out credentials', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (content)=(marmalade) already exists.' });
  logger.error({ err: new Error('outer', { cause }), token: 'kbt_secret', call: { content: 'marmalade' } }, 'request failed');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: { message: 'outer', stack: expect.any(String), cause: { code: '23505', message: 'duplicate key' } },
    token: '[redacted]',
  });
  expect(lines[0]).not.toMatch(/marmalade|kbt_secret/);
});
