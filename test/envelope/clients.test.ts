import {
  Client as CurrentClient,
  ClientCredentialsProvider as CurrentProvider,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { ClientCredentialsProvider as EarlierProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as EarlierPipe } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';

/** Real clients of both SDK lines; the server's own package is not among them. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{ isError?: boolean | undefined; structuredContent?: unknown }>;
  close(): Promise<void>;
}
interface Credential {
  token?: string;
  machine?: { id: string; secret: string };
}

const info = { name: 'kneeboard-test', version: '0.0.0' };
const bearer = (token: string | undefined) => (token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function earlier(url: string, { token, machine }: Credential): Promise<AnyClient> {
  const authProvider = machine && new EarlierProvider({ clientId: machine.id, clientSecret: machine.secret });
  const client = new EarlierClient(info);
  // The package's own transport does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(new EarlierTransport(new URL(`${url}/mcp`), { ...bearer(token), ...(authProvider && { authProvider }) }) as EarlierPipe);
  return client as AnyClient;
}

function current(mode: 'legacy' | 'auto' | { pin: string }) {
  return async (url: string, { token, machine }: Credential): Promise<AnyClient> => {
    const authProvider = machine && new CurrentProvider({ clientId: machine.id, clientSecret: machine.secret, expectedIssuer: url });
    const client = new CurrentClient(info, { versionNegotiation: { mode } });
    await client.connect(new CurrentTransport(new URL(`${url}/mcp`), { ...bearer(token), ...(authProvider && { authProvider }) }));
    return client as AnyClient;
  };
}

const clients = [
  { title: 'SDK 1.32', connect: earlier },
  { title: 'SDK 2.4 in legacy mode', connect: current('legacy') },
  { title: 'SDK 2.4 in auto mode', connect: current('auto') },
  { title: 'SDK 2.4 pinned to 2026-07-28', connect: current({ pin: '2026-07-28' }) },
];

describe.each(clients)('$title', ({ connect }) => {
  let service: StartedService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('lists the verbs and calls them', async () => {
    const client = await connect(service.url, { token: service.token });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('memory.search');
    const result = await client.callTool({ name: 'memory.remember', arguments: { content: 'Clients differ.', kind: 'fact' } });
    expect(result).toMatchObject({ isError: false, structuredContent: { memory: { content: 'Clients differ.' } } });
    await client.close();
  });

  test('shows the caller a fault with its code, though output schemas are advertised', async () => {
    const client = await connect(service.url, { token: service.token });
    await client.listTools();
    const fault = await client.callTool({ name: 'memory.get', arguments: { id: 'mem_00000000000000000000000000' } });
    expect(fault).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
    const unknown = await client.callTool({ name: 'memory_search', arguments: {} });
    expect(unknown).toMatchObject({ isError: true, structuredContent: { error: { details: { did_you_mean: 'memory.search' } } } });
    await client.close();
  });

  test('without a credential cannot list', async () => {
    const listed = connect(service.url, {}).then((client) => client.listTools());
    await expect(listed).rejects.toThrow();
  });

  test('fetches a token of its own with client credentials', async () => {
    const client = await connect(service.url, { machine: service.client });
    expect(await client.callTool({ name: 'memory.search', arguments: {} })).toMatchObject({ isError: false });
    await client.close();
  });

  test('fetches one through localhost too', async () => {
    const client = await connect(service.url.replace('127.0.0.1', 'localhost'), { machine: service.client });
    expect(await client.callTool({ name: 'memory.search', arguments: {} })).toMatchObject({ isError: false });
    await client.close();
  });
});
