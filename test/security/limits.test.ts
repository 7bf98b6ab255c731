import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createApp } from '../../src/envelope/http.ts';
import { type Listening, startHttp } from '../../src/envelope/listen.ts';
import { bounds } from '../../src/limits/bounds.ts';
import { networkOf } from '../../src/limits/guessing.ts';
import { createLogger } from '../../src/logger.ts';
import type { Service } from '../../src/service.ts';
import { clientIdOf } from '../../src/store/credentials.ts';
import { createOAuthClients } from '../../src/store/oauth-clients.ts';
import { engines, type TestDatabase } from '../helpers/databases.ts';
import { createTestbed, type Testbed } from '../helpers/testbed.ts';
import { callTool, json, rest, rpc, send, sendRaw, statusOf } from '../helpers/wire.ts';

let kept: TestDatabase;
let bed: Testbed;
let principal: { tenantId: string; principalId: string };
beforeAll(async () => {
  kept = await (engines[0] as (typeof engines)[number]).create(true);
  bed = await createTestbed(kept.database);
  principal = (await bed.agent()).caller;
});
afterAll(() => kept.dispose());

const started: Listening[] = [];
afterAll(() => Promise.all(started.map((one) => one.close({ timeoutMs: 500 }))));

interface Options {
  guessLimit?: number;
  maxInFlight?: number;
  proxyHops?: number;
  service?: Service;
}

/** The service with limits of its own, and a token that it has not seen yet. */
async function start({ service = bed.service, ...limits }: Options) {
  const config = { rateLimit: 100_000, allowedOrigins: [], ...limits };
  let url = '';
  const app = createApp({ service, config, logger: createLogger('silent'), baseUrl: () => url, oauth: createOAuthClients(bed.store) });
  const listening = await startHttp(app, { host: '127.0.0.1', port: 0 });
  started.push(listening);
  url = listening.address;
  return { url, ...(await issue()) };
}

const issue = () => bed.store.credentials.issue(principal.tenantId, principal.principalId, { label: 'test' });
const wrong = { authorization: 'Bearer wrong' };
const tokenRequest = (at: { url: string }, id: string, secret: string) =>
  send(at, '/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString(),
  });

describe('whoever tries credentials', () => {
  it('is refused unseen after so many failures, on both envelopes and at the token endpoint', async () => {
    const at = await start({ guessLimit: 3 });
    const statuses = [
      (await rest(at, 'memory.search', {}, wrong)).status,
      (await rpc(at, 'tools/list', undefined, wrong)).status,
      (await tokenRequest(at, 'a', 'b')).status,
    ];
    expect(statuses).toEqual([401, 401, 400]);

    const overRest = await rest(at, 'memory.search', {}, wrong);
    expect(overRest).toMatchObject({ status: 429, json: { error: { code: 'rate_limited', retryable: true, details: { limit: 3 } } } });
    expect(overRest.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(await rest(at, 'memory.search', {}, { authorization: '' })).toMatchObject({ status: 429 });
    const overMcp = await callTool(at, 'memory.search', {}, wrong);
    expect(overMcp).toMatchObject({ status: 200, json: { result: { isError: true, structuredContent: { error: { code: 'rate_limited' } } } } });
    expect(await rpc(at, 'tools/list', undefined, wrong)).toMatchObject({ status: 429 });
    const overToken = await tokenRequest(at, 'a', 'b');
    expect(overToken).toMatchObject({ status: 429, json: { error: 'temporarily_unavailable' } });
    expect(overToken.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    // Not even a good one is looked at while the address guesses, or a lucky guess would get through.
    expect((await rest(at, 'memory.search', {})).status).toBe(429);
    expect((await send(at, '/healthz')).status).toBe(200);
    expect((await rpc(at, 'server/discover', undefined, { authorization: '' })).status).toBe(200);
  });

  it('does not hold back those who proved good before, persons and machines, at the same address', async () => {
    const at = await start({ guessLimit: 3 });
    const { principalId, clientSecret = '' } = await bed.store.credentials.enroll(principal.tenantId, { name: at.credentialId, type: 'machine', grants: [] });
    const clientId = clientIdOf(principal.tenantId, principalId);
    expect((await rest(at, 'memory.search', {})).status).toBe(200);
    expect((await tokenRequest(at, clientId, clientSecret)).status).toBe(200);
    for (let tries = 0; tries < 10; tries += 1) {
      await rest(at, 'memory.search', {}, wrong);
      expect((await rest(at, 'memory.search', {})).status).toBe(200);
      expect((await callTool(at, 'memory.search', {})).json.result.isError).toBe(false);
      expect((await tokenRequest(at, clientId, clientSecret)).status).toBe(200);
    }
    expect((await rest(at, 'memory.search', {}, wrong)).status).toBe(429);
  });

  it('gains nothing from a credential that was good: revoked, it fails at once', async () => {
    const at = await start({ guessLimit: 2 });
    expect((await rest(at, 'memory.search', {})).status).toBe(200);
    await bed.store.credentials.revoke(principal.tenantId, { credentialId: at.credentialId }, new Date());
    const statuses = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await rest(at, 'memory.search', {})).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
  });

  it('is told apart by address, and by X-Forwarded-For only behind a proxy that sets it', async () => {
    const from = (address: string) => ({ ...wrong, 'x-forwarded-for': address });
    const direct = await start({ guessLimit: 1 });
    await rest(direct, 'memory.search', {}, from('203.0.113.1'));
    expect((await rest(direct, 'memory.search', {}, from('203.0.113.2'))).status).toBe(429);
    const proxied = await start({ guessLimit: 1, proxyHops: 1 });
    await rest(proxied, 'memory.search', {}, from('203.0.113.1'));
    expect((await rest(proxied, 'memory.search', {}, from('203.0.113.1'))).status).toBe(429);
    expect((await rest(proxied, 'memory.search', {}, from('203.0.113.2'))).status).toBe(401);
    // What the client itself wrote stands before what the proxy added.
    expect((await rest(proxied, 'memory.search', {}, from('198.51.100.9, 203.0.113.1'))).status).toBe(429);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:0DB8::7', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('requests at work', () => {
  it('are bounded: the next is refused as retryable on both envelopes, and healthz is answered', async () => {
    const gates: (() => void)[] = [];
    const invoke: Service['invoke'] = async (...call) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return bed.service.invoke(...call);
    };
    const at = await start({ maxInFlight: 2, service: { ...bed.service, invoke } });
    const working = [rest(at, 'memory.search', {}), callTool(at, 'memory.search', {})];
    while (gates.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    expect(await rest(at, 'memory.search', {})).toMatchObject({ status: 503, json: { error: { code: 'dependency_unavailable', retryable: true } } });
    expect(await callTool(at, 'memory.search', {})).toMatchObject({
      status: 200,
      json: { result: { isError: true, structuredContent: { error: { code: 'dependency_unavailable', retryable: true } } } },
    });
    expect((await rpc(at, 'tools/list')).status).toBe(503);
    expect(await tokenRequest(at, 'a', 'b')).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect((await send(at, '/readyz')).status).toBe(503);
    expect((await send(at, '/healthz')).status).toBe(200);

    for (const open of gates.splice(0)) open();
    expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200]);
    const after = rest(at, 'memory.search', {});
    while (gates.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    gates[0]?.();
    expect((await after).status).toBe(200);
  });

  it('are not those whose bodies are still arriving', async () => {
    const at = await start({ maxInFlight: 1 });
    const head = `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${at.token}\r\nContent-Length: 100\r\n\r\n{"que`;
    const slow = Array.from({ length: 5 }, () => sendRaw(at, head, { silentMs: 500 }));
    expect((await rest(at, 'memory.search', {})).status).toBe(200);
    await Promise.all(slow);
  });
});

describe('the bounds on a request', () => {
  it('are told by server/discover', async () => {
    const at = await start({ guessLimit: 60, maxInFlight: 512 });
    const { json: answer } = await rpc(at, 'server/discover', undefined, { authorization: '' });
    expect(answer.result.limits).toMatchObject({
      requests_per_minute: 100_000,
      failed_credentials_per_minute: 60,
      requests_in_flight: 512,
      body_bytes: 1_048_576,
      header_bytes: 16_384,
      depth: 32,
      request_seconds: 60,
      items: { 'memory.remember': { memories: 256 } },
      fields: { content_chars: 32_000, query_chars: 8_000, tags: 32, page_items: 100 },
    });
  });

  it('hold as they are told: depth and headers', async () => {
    const at = await start({});
    const nested = (levels: number) => `{"query":"x","filters":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels)}`;
    const message = async (levels: number) =>
      (await send(at, '/v1/memory.search', { method: 'POST', headers: { ...json, authorization: `Bearer ${at.token}` }, body: nested(levels) })).json.error
        .message;
    expect(await message(bounds.depth)).toMatch(/Unknown field/);
    expect(await message(bounds.depth + 1)).toMatch(/nested/);
    const head = (bytes: number) => `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: ${'a'.repeat(bytes)}\r\n\r\n`;
    expect(statusOf(await sendRaw(at, head(bounds.headerBytes - 200)))).toBe(200);
    expect(statusOf(await sendRaw(at, head(bounds.headerBytes)))).toBe(400);
  });

  test('no header is dropped for standing behind many others', async () => {
    const at = await start({});
    const surplus = 'a:\r\n'.repeat(2_500);
    const answer = await sendRaw(at, `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${surplus}Origin: https://evil.example\r\n\r\n`);
    expect(statusOf(answer)).toBe(403);
  });

  test('a request that does not arrive in time is refused and its connection closed', async () => {
    const listening = await startHttp((req) => void req.resume(), { host: '127.0.0.1', port: 0, headersMs: 200, requestMs: 400 });
    started.push(listening);
    for (const part of ['POST / HTTP/1.1\r\nHost: x\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"que']) {
      const startedAt = performance.now();
      const answer = await sendRaw({ url: listening.address }, part, { silentMs: 5_000 });
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in full/);
    }
  });
});
