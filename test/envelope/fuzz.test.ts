import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureCodes } from '../../src/failure.ts';
import { type StartedService, startService } from '../helpers/service.ts';
import { sendRaw, statusOf } from '../helpers/wire.ts';

const table = new Set([200, 207, ...Object.values(failureCodes).map(({ status }) => status as number)]);

/** Enough for every run of the tests; FUZZ_RUNS=20000 looks longer. */
const runs = Number(process.env.FUZZ_RUNS ?? 400);

/** Bytes on a socket, so that no client library smooths what is sent. */
describe('whatever is sent', () => {
  let service: StartedService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  // Odd parts among good ones: a request that is odd in every part is refused for the first of them.
  const mostly = <T>(good: T, odd: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary: fc.constant(good) }, { weight: 2, arbitrary: odd });
  const method = mostly(
    'POST',
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'post', 'BREW') },
      { weight: 1, arbitrary: fc.stringMatching(/^[A-Z!#$%&'*+.^_`|~-]{1,12}$/) },
    ),
  );
  const segment = fc.oneof(
    fc.constantFrom(
      'memory.search',
      'memory.remember',
      'memory.get',
      'memory_search',
      '..',
      '.',
      '%',
      '%2e%2e',
      '%ff',
      '%00',
      '__proto__',
      'constructor',
      '*',
      ':verb',
      '',
    ),
    fc.stringMatching(/^[!-~]{0,20}$/),
  );
  const path = mostly(
    '/v1/memory.search',
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/v1/${segments.join('/')}`),
  );
  const header: fc.Arbitrary<[string, string]> = fc.oneof(
    fc.constantFrom<[string, string][]>(
      ['Content-Type', 'application/json'],
      ['Content-Type', 'text/plain'],
      ['Content-Type', 'application/json; charset=utf-7'],
      ['Content-Type', ';;;==='],
      ['Content-Encoding', 'gzip'],
      ['Content-Encoding', 'br, gzip'],
      ['Content-Encoding', 'zip'],
      ['Transfer-Encoding', 'chunked'],
      ['Transfer-Encoding', 'gzip'],
      ['Expect', '100-continue'],
      ['Expect', 'x'],
      ['Upgrade', 'websocket'],
      ['Connection', 'Upgrade'],
      ['Origin', 'http://localhost'],
      ['Origin', 'http://evil.example'],
      ['Origin', '\x80'],
      ['Authorization', 'Basic x'],
      ['Range', 'bytes=5-1'],
      ['If-None-Match', '*'],
      ['If-Unmodified-Since', 'never'],
      ['Accept', 'text/html;q=x'],
      ['Accept-Charset', '?'],
      ['X-HTTP-Method-Override', 'GET'],
      ['Content-Length', '-1'],
      ['Content-Length', '3'],
    ),
    fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,12}$/), fc.stringMatching(/^[ -~\x80-\xff]{0,40}$/)),
  );
  const body = mostly(
    '{}',
    fc.oneof(
      fc.json(),
      fc.constantFrom('', '{}', '[]', 'null', '{"query":1}', '{"__proto__":{}}', '{"query":"\\ud800"}', '[[[[', '{"a":'),
      fc.record({ query: fc.string(), limit: fc.integer() }, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
      fc.string(),
    ),
  );
  const yes = mostly(true, fc.constant(false));
  const headers = mostly([], fc.array(header, { maxLength: 3 }));
  const request = fc.record({ method, path, headers, body, json: yes, token: yes, length: yes, version: mostly('1.1', fc.constant('1.0')) });

  test('to /v1, no status outside the table comes back, and each with a request id', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async (r) => {
        const lines = [
          `${r.method} ${r.path} HTTP/${r.version}`,
          'Host: x',
          'Connection: close',
          ...(r.json ? ['Content-Type: application/json'] : []),
          ...(r.token ? [`Authorization: Bearer ${service.token}`] : []),
          ...(r.length ? [`Content-Length: ${Buffer.byteLength(r.body)}`] : []),
          ...r.headers.map(([name, value]) => `${name}: ${value}`),
        ];
        const answer = (
          await sendRaw(service, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(r.body)]), { silentMs: 60 })
        ).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
        // No answer at all is right while more bytes were announced than sent, and for CONNECT.
        if (answer === '') return;
        seen.add(statusOf(answer));
        expect(table).toContain(statusOf(answer));
        expect(answer).toMatch(/x-request-id: req_[0-9a-z]{26}\r\n/i);
        if (statusOf(answer) >= 400 && r.method !== 'HEAD') expect(answer).toMatch(/"error":\{"code":"/);
      }),
      { numRuns: runs },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
  }, 120_000);

  test('to /mcp as JSON, an answer comes back and the service lives', async () => {
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 1.5, {}, [])),
        method: fc.oneof(
          fc.constantFrom('tools/call', 'tools/list', 'initialize', 'server/discover', 'ping', 'subscriptions/listen', 'notifications/cancelled'),
          fc.string(),
        ),
        params: fc.oneof(
          fc.jsonValue(),
          fc.record({ name: fc.oneof(fc.constant('memory.search'), fc.jsonValue()), arguments: fc.jsonValue(), _meta: fc.jsonValue() }, { requiredKeys: [] }),
        ),
      },
      { requiredKeys: ['method'] },
    );
    const headers = fc.record(
      {
        'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-06-18', 'x'),
        'mcp-method': fc.constantFrom('tools/call', 'tools/list'),
        'mcp-name': fc.constant('memory.search'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 4 }), fc.jsonValue()), headers, async (value, extra) => {
        const response = await fetch(`${service.url}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${service.token}`, ...extra } as Record<string, string>,
          body: JSON.stringify(value),
          signal: AbortSignal.timeout(2_000),
        });
        await response.text();
        expect([200, 202, 400, 404]).toContain(response.status);
      }),
      { numRuns: runs },
    );
  }, 120_000);
});
