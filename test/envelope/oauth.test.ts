import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';
import { type Answer, type HeaderMap, rest, send, sendRaw } from '../helpers/wire.ts';

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const grant = { grant_type: 'client_credentials' };
const basic = ({ id, secret }: { id: string; secret: string }) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });
const inForm = ({ id, secret }: { id: string; secret: string }) => ({ client_id: id, client_secret: secret });

function form(path: string, fields: Record<string, string> | string, headers: HeaderMap = {}, at = service): Promise<Answer> {
  return send(at, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

describe('POST /oauth/token', () => {
  test('gives a machine a token for its secret, in the form or as Basic', async () => {
    for (const answer of [await form('/oauth/token', { ...grant, ...inForm(service.client) }), await form('/oauth/token', grant, basic(service.client))]) {
      expect(answer).toMatchObject({ status: 200, json: { token_type: 'Bearer', expires_in: expect.any(Number) } });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect((await rest(service, 'memory.search', {}, { authorization: `Bearer ${answer.json.access_token}` })).status).toBe(200);
    }
  });

  const wrong = { id: 'nobody', secret: 'nothing' };
  test.each([
    ['a wrong secret in the form', () => form('/oauth/token', { ...grant, ...inForm(wrong) }), 400, 'invalid_client'],
    ['a wrong secret as Basic', () => form('/oauth/token', grant, basic(wrong)), 401, 'invalid_client'],
    ['no client', () => form('/oauth/token', grant), 400, 'invalid_client'],
    ['no grant', () => form('/oauth/token', inForm(service.client)), 400, 'invalid_request'],
    ['a grant that is not offered', () => form('/oauth/token', { ...inForm(service.client), grant_type: 'password' }), 400, 'unauthorized_client'],
    ['an unknown grant', () => form('/oauth/token', { ...inForm(service.client), grant_type: 'urn:kneeboard:revocation' }), 400, 'unsupported_grant_type'],
    ['a parameter twice', () => form('/oauth/token', 'grant_type=client_credentials&grant_type=client_credentials'), 400, 'invalid_request'],
    [
      'another service as resource',
      () => form('/oauth/token', { ...grant, ...inForm(service.client), resource: 'https://other.example/mcp' }),
      400,
      'invalid_target',
    ],
    ['JSON', () => send(service, '/oauth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }), 400, 'invalid_request'],
    ['GET', () => send(service, '/oauth/token'), 405, 'invalid_request'],
  ])('refuses %s in the shape of RFC 6749', async (_, ask, status, error) => {
    const answer = await ask();
    expect(answer).toMatchObject({ status, json: { error, error_description: expect.any(String) } });
    expect(Object.keys(answer.json).sort()).toEqual(['error', 'error_description']);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  test('takes our own addresses as resource', async () => {
    for (const resource of [`${service.url}/mcp`, service.url]) {
      expect((await form('/oauth/token', { ...grant, ...inForm(service.client), resource })).status).toBe(200);
    }
  });

  test('is temporarily_unavailable while the store is down', async () => {
    const down = await startService({ ownDatabase: true });
    await down.breakStore();
    const answer = await form('/oauth/token', { ...grant, ...inForm(down.client) }, {}, down);
    await down.close();
    expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('POST /oauth/revoke', () => {
  test('ends a token', async () => {
    const { json } = await form('/oauth/token', { ...grant, ...inForm(service.client) });
    expect((await form('/oauth/revoke', { token: json.access_token }, basic(service.client))).status).toBe(200);
    expect((await rest(service, 'memory.search', {}, { authorization: `Bearer ${json.access_token}` })).status).toBe(401);
  });

  test('says nothing about a token that it does not know', async () => {
    expect((await form('/oauth/revoke', { token: 'unknown', ...inForm(service.client) })).status).toBe(200);
  });

  test('needs the client’s proof and a token', async () => {
    expect(await form('/oauth/revoke', { token: 'x' })).toMatchObject({ status: 400, json: { error: 'invalid_client' } });
    expect(await form('/oauth/revoke', inForm(service.client))).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });
});

describe('/.well-known', () => {
  test('names the resource, its authorization server and that server’s endpoints', async () => {
    const root = await send(service, '/.well-known/oauth-protected-resource');
    expect(root.json).toMatchObject({ resource: service.url, authorization_servers: [service.url] });
    const mcp = await send(service, '/.well-known/oauth-protected-resource/mcp');
    expect(mcp.json).toMatchObject({ resource: `${service.url}/mcp`, authorization_servers: [service.url] });
    const server = await send(service, '/.well-known/oauth-authorization-server');
    expect(server.json).toMatchObject({ issuer: service.url, token_endpoint: `${service.url}/oauth/token`, grant_types_supported: ['client_credentials'] });
  });

  test('takes no name but a loopback one from the Host header', async () => {
    const ask = (host: string) => sendRaw(service, `GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const { port } = new URL(service.url);
    expect(await ask(`localhost:${port}`)).toContain(`"resource":"http://localhost:${port}"`);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost:1', `localhost:${port}@evil.example`]) {
      expect(await ask(host)).toContain(`"resource":"${service.url}"`);
    }
  });

  test('is 404 for what is not served', async () => {
    expect((await send(service, '/.well-known/openid-configuration')).status).toBe(404);
    expect((await send(service, '/.well-known/oauth-protected-resource/other')).status).toBe(404);
  });
});
