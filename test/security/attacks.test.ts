import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedService, startService } from '../helpers/service.ts';
import { json, rest, rpc, sendRaw } from '../helpers/wire.ts';
import { type Attacker, createAttacker, inTurns } from './attacker.ts';
import { falseScopeKeys, falseTokens, hostileTexts } from './payloads.ts';
import { jsonWithMember, objectPaths, type Path, type Schema, sampleOf, stringPaths, withValue } from './samples.ts';

interface Verb {
  name: string;
  schema: Schema;
  /** Inputs that are right before one thing in them is made wrong. */
  samples: unknown[];
}

const canary = 'canary-5f2c9e';
const scope = `repo:${canary}/vault`;

/** A tenant with something to hide, and an attacker who owns another tenant of the same store. */
describe('under attack', () => {
  let victim: StartedService;
  let attacker: StartedService;
  let attack: Attacker;
  let verbs: Verb[];
  const theirs = { memory: '', check: '', listCursor: '', rankCursor: '' };

  beforeAll(async () => {
    victim = await startService();
    attacker = await startService();
    const { json: kept } = await rest(victim, 'memory.remember', {
      content: `the ${canary} vault`,
      kind: 'policy',
      scope_key: scope,
      tags: [canary],
      source: { title: canary },
    });
    await rest(victim, 'memory.remember', { content: `the second ${canary} vault`, kind: 'fact', scope_key: scope });
    const { json: checked } = await rest(victim, 'preflight.action', {
      action: { action_type: 'vault.open', summary: `the ${canary} vault`, scope_key: scope },
    });
    const list = await rest(victim, 'memory.search', { limit: 1 });
    const ranked = await rest(victim, 'memory.search', { query: 'vault', limit: 1 });
    Object.assign(theirs, { memory: kept.memory.id, check: checked.check_id, listCursor: list.json.next_cursor, rankCursor: ranked.json.next_cursor });
    attack = createAttacker(victim, attacker.token, [`the ${canary}`, `second ${canary}`, `"${canary}"`, `${canary}/vault"`]);
    verbs = await readVerbs();
  });
  afterAll(async () => {
    const { tried, slowestMs, slowest } = attack.tally();
    process.stdout.write(`attacks: ${tried} inputs tried, the slowest took ${slowestMs} ms: ${slowest}\n`);
    await victim.close();
    await attacker.close();
  });

  /** The schemas as advertised, and samples that hold every field of them. */
  async function readVerbs(): Promise<Verb[]> {
    const own = { url: victim.url, token: attacker.token };
    const { json: mine } = await rest(own, 'memory.remember', { content: 'my own note', kind: 'policy' });
    const { json: checked } = await rest(own, 'preflight.action', { action: { action_type: 'a.b', summary: 'mine' } });
    const fixed = {
      id: mine.memory.id,
      check_id: checked.check_id,
      outcome: 'succeeded',
      lesson: 'what I learnt',
      useful: [],
      cursor: undefined,
      expected_revision: undefined,
      min_score: 0,
      'rule.unless': { paths: ['elsewhere/**'] },
      'memories.0.rule.unless': { paths: ['elsewhere/**'] },
    };
    const { json: listed } = await rpc(own, 'tools/list');
    return listed.result.tools.map(({ name, inputSchema: schema }: { name: string; inputSchema: Schema }) => {
      const kind = {
        kind: 'policy',
        'memories.0.kind': 'policy',
        scope_key: 'repo:shots/a',
        'memories.0.scope_key': 'repo:shots/a',
        ...(name === 'memory.revise' && { kind: undefined }),
      };
      const all = (more: Record<string, unknown>) => sampleOf(schema, { ...fixed, ...kind, ...more });
      if (name !== 'memory.remember') return { name, schema, samples: [all({})] };
      const { memories, ...single } = all({}) as Record<string, unknown>;
      return { name, schema, samples: [single, { memories }] };
    });
  }

  /** The sample that a field of this path belongs into. */
  const sampleFor = ({ samples }: Verb, path: Path) => (path[0] === 'memories' ? samples[1] : samples[0]);
  const expectNone = () => expect(attack.offences.splice(0)).toEqual([]);
  const owned = (more: object = {}) => ({ ...json, authorization: `Bearer ${attacker.token}`, ...more });

  test('the samples are good before they are made bad', async () => {
    const answers = await Promise.all(
      verbs.filter(({ name }) => name !== 'memory.forget').flatMap(({ name, samples }) => samples.map((sample) => attack.rest(name, sample))),
    );
    for (const { status, json } of answers) expect([status, json.error]).toEqual([200, undefined]);
    expectNone();
  });

  test('hostile text in every string field of every verb is stored, refused or found to match nothing', async () => {
    const shots = verbs.flatMap((verb) => stringPaths(verb.schema).flatMap((path) => hostileTexts.map((text) => ({ verb, path, text }))));
    await inTurns(shots, async ({ verb, path, text }, at) => {
      let sample = sampleFor(verb, path);
      // A memory can be forgotten or superseded but once.
      if (verb.name === 'memory.revise' || verb.name === 'memory.forget') {
        const { json } = await rest({ url: victim.url, token: attacker.token }, 'memory.remember', {
          content: `note ${at}`,
          kind: 'policy',
          scope_key: 'repo:shots/b',
        });
        sample = withValue(sample, ['id'], json.memory.id);
      }
      await attack.rest(verb.name, withValue(sample, path, text));
    });
    // Every rule that was stored is now held against one action.
    const action = { action_type: 'shell.run', summary: 'sample', command: 'sample', changed_files: ['src/sample.ts'], scope_key: 'repo:shots/a' };
    expect((await attack.rest('preflight.action', { action })).status).toBe(200);
    expectNone();
  }, 300_000);

  test('ids, checks and citations of another tenant answer like ones that never were', async () => {
    const shape = ({ json: { error } }: { json: { error?: object } }, id: string) => JSON.stringify({ ...error, request_id: '' }).replaceAll(id, 'ID');
    for (const verb of ['memory.get', 'memory.revise', 'memory.forget', 'preflight.report'] as const) {
      const [field, id, never] =
        verb === 'preflight.report' ? ['check_id', theirs.check, 'chk_00000000000000000000000000'] : ['id', theirs.memory, 'mem_00000000000000000000000000'];
      const more = { 'memory.get': {}, 'memory.revise': { tags: ['x'] }, 'memory.forget': { erase: true }, 'preflight.report': { outcome: 'approved' } }[verb];
      for (const via of [attack.rest, attack.tool]) {
        const [foreign, absent] = [await via(verb, { [field]: id, ...more }), await via(verb, { [field]: never, ...more })];
        expect(foreign.status).toBe(absent.status);
        if (via === attack.rest) expect(shape(foreign, id)).toBe(shape(absent, never));
      }
    }
    expect((await rest(victim, 'memory.get', { id: theirs.memory })).status).toBe(200);
    expectNone();
  });

  test('cursors of another tenant and forged ones open nothing and break nothing', async () => {
    const decode = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const values = [null, '', 'x', -1, 0.5, 1e300, 9_007_199_254_740_991, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', {}, [], "' or 1=1", '\u0000', true];
    const raw = ['', '%', '\u0000', 'e30', 'W10', 'bnVsbA', '[['.repeat(200), 'A'.repeat(1_000), "' or 1=1"];
    for (const [cursor, input] of [
      [theirs.listCursor, {}],
      [theirs.rankCursor, { query: 'vault' }],
    ] as const) {
      const whole = decode(cursor);
      const forged = Object.keys(whole).flatMap((key) => values.map((value) => ({ ...whole, [key]: value })));
      const odd = [{ ...whole, extra: 1 }, { ...whole, tenant_id: 'default' }, [whole], { ...decode(theirs.listCursor), ...whole }];
      const texts = [...[...forged, ...odd].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')), cursor, ...raw];
      await inTurns(texts, async (text) => {
        const { status, json } = await attack.rest('memory.search', { ...input, limit: 1, cursor: text });
        expect([200, 400]).toContain(status);
        if (status === 400) expect(json.error.field).toBe('cursor');
      });
    }
    expectNone();
  });

  // Postgres has no year 0.
  test('a time in the year 0 is a validation error wherever a time may stand', async () => {
    const year0 = '0000-01-01T00:00:00Z';
    const places = verbs
      .flatMap((verb) => stringPaths(verb.schema).map((path) => ({ verb, path })))
      .filter(({ path }) => /_at$|since|until|as_of/.test(String(path.at(-1))));
    const forged = { ...JSON.parse(Buffer.from(theirs.listCursor, 'base64url').toString('utf8')), created: year0 };
    const answers = [
      ...(await Promise.all(places.map(({ verb, path }) => attack.rest(verb.name, withValue(sampleFor(verb, path), path, year0))))),
      await attack.rest('memory.search', { limit: 1, cursor: Buffer.from(JSON.stringify(forged)).toString('base64url') }),
    ];
    attack.offences.splice(0);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  });

  test('no header, query or body chooses the tenant', async () => {
    const tenant = /kbt_(.+)_[^_]{43}$/.exec(victim.token)?.[1] ?? 'default';
    const names = [
      'x-tenant',
      'x-tenant-id',
      'tenant',
      'tenant-id',
      'x-kneeboard-tenant',
      'x-org-id',
      'x-principal',
      'x-principal-id',
      'x-user',
      'x-forwarded-user',
      'x-auth-request-user',
      'x-original-url',
      'x-rewrite-url',
      'forwarded',
      'cookie',
      'proxy-authorization',
      'x-api-key',
      'mcp-session-id',
      'baggage',
    ];
    for (const name of names) {
      for (const value of [tenant, `tenant=${tenant}`, `Bearer ${victim.token.slice(0, -1)}`]) {
        const { json: found } = await attack.fire('/v1/memory.search', {
          headers: owned({ [name]: value }),
          body: JSON.stringify({ query: 'vault', filters: { scope_key: scope, scope_mode: 'exact' } }),
        });
        expect(found.hits).toEqual([]);
      }
    }
    for (const query of [`tenant=${tenant}`, `tenant_id=${tenant}`, `access_token=${victim.token}`, `token=${victim.token}`, `__proto__[tenant]=${tenant}`]) {
      expect(
        (await attack.fire(`/v1/memory.search?${query}`, { headers: owned(), body: `{"filters":{"scope_key":"${scope}","scope_mode":"exact"}}` })).json.hits,
      ).toEqual([]);
      expect((await attack.fire(`/v1/memory.search?${query}`, { headers: json, body: '{}' })).status).toBe(401);
    }
    for (const key of ['tenant', 'tenant_id', 'tenantId', 'principal', 'principal_id', 'grants', 'caller', 'admin']) {
      expect(await attack.rest('memory.search', { [key]: tenant })).toMatchObject({ status: 400, json: { error: { field: key } } });
      expect(await attack.rest('memory.search', { filters: { [key]: tenant } })).toMatchObject({ status: 400, json: { error: { field: `filters.${key}` } } });
    }
    expectNone();
  });

  test('a token of any odd shape is no credential', async () => {
    const tenant = /kbt_(.+)_[^_]{43}$/.exec(victim.token)?.[1] ?? 'default';
    const tokens = falseTokens.map((token) => token.replace('{tenant}', tenant).replace('{secret}', 'A'.repeat(43)));
    const near = [victim.token.slice(0, -1), `${victim.token}A`, victim.token.toUpperCase(), `${victim.token},${victim.token}`, victim.token.replace('_', '-')];
    const schemes = ['', 'Basic ', 'Token ', 'Bearer: ', 'Bearer\t', 'bearer="', 'Bearer Bearer ', 'DPoP '];
    const headers = [...[...tokens, ...near].map((token) => `Bearer ${token}`), ...schemes.map((scheme) => `${scheme}${victim.token}`)];
    await inTurns(headers, async (authorization) => {
      for (const path of ['/v1/memory.search', '/mcp']) {
        const body = path === '/mcp' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : '{}';
        const { status } = await attack.fire(path, { headers: { ...json, authorization }, body });
        expect([status, authorization]).toEqual([401, authorization]);
      }
    });
    expectNone();
  });

  test('machine credentials of any odd shape get no token', async () => {
    const { id, secret } = victim.client;
    const ids = [
      '',
      '*',
      "' or 1=1",
      id.toUpperCase(),
      `${id} `,
      id.replace('.', '.prn_'),
      `${id}\u0000`,
      '__proto__',
      'default.prn_00000000000000000000000000',
    ];
    const pairs = [...ids.map((one) => [one, secret]), ...hostileTexts.slice(0, 52).map((text) => [id, text]), [id, secret.slice(0, -1)], [secret, id]] as [
      string,
      string,
    ][];
    await inTurns(pairs, async ([client, word]) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: client, client_secret: word }).toString();
      const { json: answer } = await attack.fire('/oauth/token', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
      expect(answer.access_token).toBeUndefined();
    });
    expectNone();
  });

  test('prototype keys in every object pollute nothing', async () => {
    const members = [
      '"__proto__":{"polluted":true}',
      '"constructor":{"prototype":{"polluted":true}}',
      '"prototype":{"polluted":true}',
      '"toString":"x"',
      '"hasOwnProperty":1',
      '"then":{}',
      '"toJSON":{}',
      '"__proto__":null',
    ];
    const shots = verbs.flatMap(({ name, samples }) =>
      samples.flatMap((sample) => objectPaths(sample).flatMap((path) => members.map((member) => [name, jsonWithMember(sample, path, member)] as const))),
    );
    await inTurns(shots, async ([name, body]) => {
      await attack.rest(name, body);
      await attack.tool(name, body);
    });
    for (const member of members) {
      await attack.fire('/mcp', {
        headers: owned(),
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory.search","arguments":{},"_meta":{${member}},${member}},${member}}`,
      });
      await attack.fire('/mcp', {
        headers: owned(),
        body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{${member}},"clientInfo":{"name":"x","version":"1",${member}}}}`,
      });
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect((await attack.rest(name, {})).status).toBe(404);
      expect((await attack.tool(name, {})).json.result.structuredContent.error.code).toBe('not_found');
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expectNone();
  }, 120_000);

  test('100,000 levels of nesting are refused', async () => {
    const deep = ['['.repeat(100_000) + ']'.repeat(100_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, '['.repeat(100_000), '{"a":'.repeat(100_000)];
    for (const text of deep) {
      for (const { name } of verbs) {
        expect((await attack.rest(name, text)).status).toBe(400);
        expect((await attack.rest(name, `{"query":${text}}`)).status).toBe(400);
      }
      await attack.rest('memory.remember', `{"memories":[${text}]}`);
      await attack.rest('preflight.action', `{"action":{"action_type":"a.b","summary":"x","details":${text}}}`);
      await attack.tool('memory.search', text);
      for (const spot of [
        '"id":1,"method":"ping","params":@',
        '"id":@,"method":"ping"',
        '"id":1,"method":"tools/call","params":{"name":"memory.search","_meta":@}',
        '"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":@,"clientInfo":{"name":"x","version":"1"}}',
        '"id":1,"method":"server/discover","params":{"_meta":@}',
        '"id":1,"method":"x","result":@',
      ]) {
        await attack.fire('/mcp', { headers: owned(), body: `{"jsonrpc":"2.0",${spot.replace('@', text)}}` });
      }
      await attack.fire('/mcp', { headers: owned(), body: text });
    }
    expectNone();
  }, 120_000);

  test('of a key that is sent twice one value is judged and used, never one each', async () => {
    const readOnly = { authorization: `Bearer ${attacker.readerToken}` };
    const bodies: [verb: string, body: string][] = [
      ['memory.remember', '{"content":"twice","kind":"fact","kind":"rumour"}'],
      ['memory.remember', '{"content":"twice","kind":"fact","scope_key":"repo:a","scope_key":"nowhere"}'],
      ['memory.remember', '{"content":"twice","content":" ","kind":"fact"}'],
      ['memory.search', '{"limit":1,"limit":1000}'],
      ['memory.search', `{"filters":{"scope_key":"repo:a"},"filters":{"tenant":"x"}}`],
      ['memory.get', `{"id":"mem_x","id":"${theirs.memory}"}`],
      ['preflight.action', '{"action":{"action_type":"a.b","summary":"x"},"action":{}}'],
      ['memory.forget', '{"id":"mem_x","erase":false,"erase":"yes"}'],
    ];
    for (const [verb, body] of bodies) {
      expect((await attack.rest(verb, body)).status).toBeGreaterThanOrEqual(400);
      await attack.tool(verb, body);
      await attack.rest(verb, body, readOnly);
    }
    const twoNames = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory.search","name":"memory.forget","arguments":{"id":"${theirs.memory}"}}}`;
    expect((await attack.fire('/mcp', { headers: owned(readOnly), body: twoNames })).json.result.structuredContent.error.code).toBe('forbidden');
    expectNone();
  });

  test('what looks like a scope key and is none is named as the fault', async () => {
    const shots = verbs.flatMap((verb) =>
      stringPaths(verb.schema)
        .filter((path) => path.at(-1) === 'scope_key')
        .flatMap((path) => falseScopeKeys.map((key) => ({ verb, path, key }))),
    );
    expect(shots.length).toBeGreaterThan(3 * falseScopeKeys.length);
    await inTurns(shots, async ({ verb, path, key }) => {
      const { status, json } = await attack.rest(verb.name, withValue(sampleFor(verb, path), path, key));
      const error = path[0] === 'memories' ? json.error?.details.results[0].error : json.error;
      expect([status, error?.field, key]).toEqual([400, path.join('.'), key]);
    });
    expectNone();
  });

  test('whatever is oversized is refused', async () => {
    const long = 'x'.repeat(900_000);
    const shots = verbs.flatMap((verb) => stringPaths(verb.schema).map((path) => [verb.name, withValue(sampleFor(verb, path), path, long)] as const));
    await inTurns(shots, async ([name, body]) => expect((await attack.rest(name, body)).status).toBeGreaterThanOrEqual(400), 2);
    const wide = Array.from({ length: 60_000 }, () => 'x');
    const many = (count: number, make: (at: number) => unknown) => Array.from({ length: count }, (_, at) => make(at));
    const bodies: [verb: string, body: unknown, status: number][] = [
      ['memory.remember', { content: 'x', kind: 'fact', tags: wide }, 400],
      ['memory.search', { filters: { tags: wide } }, 400],
      ['memory.search', { filters: { kinds: wide } }, 400],
      ['preflight.action', { action: { action_type: 'a.b', summary: 'x', changed_files: wide } }, 400],
      [
        'preflight.action',
        { action: { action_type: 'a.b', summary: 'x', details: Object.fromEntries(many(20_000, (at) => [`k${at}`, at]) as [string, unknown][]) } },
        200,
      ],
      ['preflight.report', { check_id: theirs.check, outcome: 'failed', useful: wide }, 400],
      ['memory.remember', { memories: many(257, () => ({ content: 'x', kind: 'fact' })) }, 413],
      ['memory.remember', { memories: many(100_000, () => 0) }, 413],
      ['memory.search', { limit: 1e308 }, 400],
      ['memory.search', { limit: -1 }, 400],
      ['memory.search', Object.fromEntries(many(50_000, (at) => [`k${at}`, 1]) as [string, unknown][]), 400],
      ['memory.search', { query: 'x'.repeat(1_100_000) }, 413],
      [
        'memory.search',
        {
          query: many(8_000, (at) => at)
            .join(' ')
            .slice(0, 8_000),
        },
        200,
      ],
    ];
    for (const [verb, body, status] of bodies)
      expect([verb, (await attack.rest(verb, body)).status, JSON.stringify(body).slice(0, 60)]).toEqual([verb, status, JSON.stringify(body).slice(0, 60)]);
    for (const path of [`/v1/${'a'.repeat(12_000)}`, `/v1/memory.search?${'a=1&'.repeat(3_000)}`]) await attack.fire(path, { headers: owned(), body: '{}' });
    expectNone();
  }, 120_000);

  // Rules are run where all tenants are served: 14 characters against a name of 140.
  test('a stored glob costs no more than a fraction of a second, whatever it is held against', async () => {
    const scope_key = 'repo:globs/a';
    const rule = { effect: 'warn', when: { paths: ['*a*a*a*a*b'] } };
    expect((await attack.rest('memory.remember', { content: 'a lesson with a bad glob', kind: 'lesson', scope_key, rule })).status).toBe(200);
    const startedAt = performance.now();
    await attack.rest('preflight.action', { action: { action_type: 'a.b', summary: 'x', changed_files: ['a'.repeat(140)], scope_key } });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  describe('in bytes', () => {
    const head = (lines: string[], body = '{}') =>
      `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
    const length = 'Content-Length: 2';

    test('line breaks in headers, two lengths and hidden second requests are refused or read as one request', async () => {
      const authorization = `Authorization: Bearer ${attacker.token}`;
      const smuggled = `POST /v1/memory.search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${victim.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      const shots = [
        head([authorization, length, 'X-A: a\rSet-Cookie: canary=1']),
        head([authorization, length, 'X-A: a\nSet-Cookie: canary=1']),
        head([authorization, length, 'X-A: a\r\n Set-Cookie: canary=1']),
        head([authorization, length, 'X-A: a\0b']),
        head([authorization, length, 'X-Request-Id: req_x\r\n\tSet-Cookie: canary=1']),
        head([authorization, length, 'Origin: http://localhost\rSet-Cookie: canary=1']),
        head([authorization, length, 'Access-Control-Request-Headers: a\rSet-Cookie: canary=1']),
        head([authorization, length, 'Content-Length: 3']),
        head([authorization, length, 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
        head([authorization, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`),
        head([authorization, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
        head([authorization, 'Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`),
        head([authorization, 'Content-Length: +2']),
        head([authorization, 'Content-Length: 0x2']),
        head([authorization, 'Content-Length: 99999999999999999999']),
        head([authorization, `Authorization: Bearer ${victim.token.slice(0, -1)}`, length]),
        head([`Authorization: Bearer ${attacker.token}\r\n  x`, length]),
        head([`: x`, length]),
        'GET http://169.254.169.254/latest HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
        'POST //v1//memory.search HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
        'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n',
        `${'A'.repeat(70_000)}`,
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        '\0\0\0\0\r\n\r\n',
      ];
      await inTurns(shots, async (bytes) => {
        const answer = await sendRaw(victim, bytes, { silentMs: 300 });
        expect(answer).not.toMatch(/^set-cookie/im);
        expect(answer.match(/^HTTP\/1\.1 /gm)?.length ?? 0).toBeLessThanOrEqual(1);
        if (answer !== '') attack.judgeRaw(bytes, answer);
      });
      expectNone();
    });

    test('very many and very long headers are refused or read, with a status of the table', async () => {
      const authorization = `Authorization: Bearer ${attacker.token}`;
      for (const lines of [
        Array.from({ length: 2_500 }, () => 'a:'),
        Array.from({ length: 1_000 }, (_, at) => `x-${at}: ${at}`),
        [`x-long: ${'a'.repeat(20_000)}`],
        [`${'x'.repeat(20_000)}: a`],
        [`Cookie: ${'a=b; '.repeat(5_000)}`],
        [`Accept: ${'a/b;q=0.1,'.repeat(1_200)}`],
        [`MCP-Protocol-Version: ${'9'.repeat(10_000)}`],
      ]) {
        attack.judgeRaw(lines[0] ?? '', await sendRaw(victim, head([...lines, authorization, length]), { silentMs: 1_000 }));
      }
      expectNone();
    });

    test('callers are served while others send their requests a byte at a time', async () => {
      const halfHead = 'POST /v1/memory.search HTTP/1.1\r\nHost: x\r\n';
      const halfBody = `${head([`Authorization: Bearer ${attacker.token}`, 'Content-Length: 1000'], '{"que')}`;
      const slow = Array.from({ length: 24 }, (_, at) => sendRaw(victim, at % 2 === 0 ? halfHead : halfBody, { silentMs: 1_500 }));
      const startedAt = performance.now();
      for (let at = 0; at < 10; at += 1) expect((await attack.rest('memory.search', {})).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      await Promise.all(slow);
      expectNone();
    });
  });
});
