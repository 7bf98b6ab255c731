import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureCodes } from '../../src/failure.ts';
import { type StartedService, startService } from '../helpers/service.ts';
import { rest, rpc, send } from '../helpers/wire.ts';

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('/openapi.json', () => {
  // biome-ignore lint/suspicious/noExplicitAny: OpenAPI is a tree of many shapes
  let api: any;
  beforeAll(async () => {
    api = (await send(service, '/openapi.json')).json;
  });

  test('describes the same verbs as tools/list, with the same inputs', async () => {
    const { json } = await rpc(service, 'tools/list');
    const described = json.result.tools.map((tool: { name: string; inputSchema: unknown }) => [`/v1/${tool.name}`, tool.inputSchema]);
    expect(Object.entries(api.paths).map(([path, item]) => [path, (item as typeof api).post.requestBody.content['application/json'].schema])).toEqual(
      described,
    );
  });

  test('gives every verb an example and every status of the table', () => {
    for (const { post } of Object.values<typeof api>(api.paths)) {
      expect(post.requestBody.content['application/json'].example).toBeTypeOf('object');
      const statuses = Object.keys(post.responses).filter((status) => status !== '207');
      expect(statuses).toEqual(['200', ...Object.values(failureCodes).map(({ status }) => String(status))]);
    }
  });

  test('refers to nothing that it does not hold', () => {
    const refs = [...JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => String(path));
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs) expect(ref.split('/').reduce((node, key) => node?.[key], api)).toBeDefined();
  });
});

test('/healthz tells of the process and /readyz of what it stands on', async () => {
  const down = await startService({ ownDatabase: true });
  expect(await send(down, '/readyz')).toMatchObject({ status: 200, json: { ready: true, database: true } });
  await down.breakStore();
  expect(await send(down, '/readyz')).toMatchObject({ status: 503, json: { ready: false, database: false } });
  expect(await send(down, '/healthz')).toMatchObject({ status: 200 });
  await down.close();
});

test('/metrics counts requests by verb, envelope and status, and never by a name that a caller made up', async () => {
  await rest(service, 'memory.search', {});
  await rpc(service, 'tools/call', { name: 'marmalade', arguments: {} });
  await rest(service, 'marmalade', {});
  const { json: text, headers } = await send(service, '/metrics');
  expect(headers.get('content-type')).toContain('text/plain');
  expect(text).toMatch(/kneeboard_requests_total\{verb="memory.search",envelope="rest",status="200"\} 1\n/);
  expect(text).toMatch(/kneeboard_requests_total\{verb="unknown",envelope="mcp",status="404"\} 1\n/);
  expect(text).toMatch(/kneeboard_request_duration_seconds_bucket/);
  expect(text).toContain('process_cpu_user_seconds_total');
  expect(text).not.toContain('marmalade');
});
