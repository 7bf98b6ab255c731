import { connect } from 'node:net';
import type { StartedService } from './service.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of many shapes
  json: any;
}

type Service = Pick<StartedService, 'url' | 'token'>;
export type HeaderMap = Record<string, string>;

export const json: HeaderMap = { 'content-type': 'application/json' };
const revision = '2026-07-28';

/** One REST call with the owner's token. */
export function rest(service: Service, verb: string, input: unknown, headers: HeaderMap = {}): Promise<Answer> {
  return send(service, `/v1/${verb}`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${service.token}`, ...headers },
    body: JSON.stringify(input),
  });
}

/** Bare JSON-RPC: no revision, nothing but a content type and the owner's token. */
export function rpc(service: Service, method: string, params?: unknown, headers: HeaderMap = {}): Promise<Answer> {
  return rpcBody(service, { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) }, headers);
}

export function rpcBody(service: Service, body: unknown, headers: HeaderMap = {}): Promise<Answer> {
  return send(service, '/mcp', { method: 'POST', headers: { ...json, authorization: `Bearer ${service.token}`, ...headers }, body: JSON.stringify(body) });
}

/** The same in revision 2026-07-28, headers and `_meta` included. */
export function modernRpc(service: Service, method: string, params: Record<string, unknown> = {}, headers: HeaderMap = {}): Promise<Answer> {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': revision, 'io.modelcontextprotocol/clientCapabilities': {} };
  return rpc(
    service,
    method,
    { ...params, _meta },
    {
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
      ...headers,
    },
  );
}

export function callTool(service: Service, name: string, input: unknown, headers: HeaderMap = {}): Promise<Answer> {
  return rpc(service, 'tools/call', { name, arguments: input }, headers);
}

/** A header with the value '' is not sent. */
export async function send(service: Pick<Service, 'url'>, path: string, init: RequestInit & { headers?: HeaderMap } = {}): Promise<Answer> {
  const headers = Object.fromEntries(Object.entries(init.headers ?? {}).filter(([, value]) => value !== ''));
  const response = await fetch(service.url + path, { ...init, headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, json: isJson && text !== '' ? JSON.parse(text) : text };
}

/** Writes bytes to the port as they are and reads until the other side is done or silent. */
export function sendRaw({ url }: Pick<Service, 'url'>, bytes: string | Uint8Array, { silentMs = 1_000 } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(silentMs, done);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('close', done);
    socket.on('error', done);
  });
}

export function statusOf(rawAnswer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(rawAnswer)?.[1] ?? 0);
}
