import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Testbed } from '../helpers/testbed.ts';

describeEngines('memory.remember', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  it('stores a memory with everything it was given', async () => {
    const me = await bed.agent();
    const given = {
      content: 'Deploys to production happen on Tuesdays.',
      kind: 'decision',
      scope_key: 'repo:acme/api',
      tags: ['deploy', 'deploy', 'calendar'],
      source: { uri: 'https://example.test/adr/7', title: 'ADR 7', commit: 'abc123' },
      occurred_at: '2026-10-01T08:00:00+02:00',
      expires_at: '2027-01-01T00:00:00Z',
    };
    const { memory, created, similar } = await me.ok('memory.remember', given);
    expect(created).toBe(true);
    expect(similar).toEqual([]);
    expect(memory).toMatchObject({
      id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
      content: given.content,
      kind: 'decision',
      scope_key: 'repo:acme/api',
      tags: ['deploy', 'calendar'],
      status: 'live',
      revision: 1,
      created_at: '2026-11-01T12:00:00.000Z',
      occurred_at: '2026-10-01T06:00:00.000Z',
      expires_at: '2027-01-01T00:00:00.000Z',
      embedding: 'ready',
      flags: [],
      provenance: { principal: { id: me.caller.principalId, type: 'person' }, source: given.source, corroborations: [] },
    });
    expect((await me.ok('memory.get', { id: memory.id })).memory).toEqual(memory);
  });

  it('makes one memory of the same content, whatever its line ends, outer space and composition', async () => {
    const me = await bed.agent();
    const first = await me.ok('memory.remember', { content: 'caf\u00e9\nopens at nine', kind: 'fact' });
    const again = await me.ok('memory.remember', { content: '  cafe\u0301\r\nopens at nine \n', kind: 'fact', tags: ['new'] });
    expect(again).toMatchObject({ created: false, memory: { id: first.memory.id, revision: 1, tags: [] } });
    expect((await me.ok('memory.search', {})).hits).toHaveLength(1);
  });

  it('takes the same content in another scope, and in another tenant, for another memory', async () => {
    const me = await bed.agent();
    const other = await bed.agent();
    const ids = [
      await me.remember('same'),
      await me.remember('same', { scope_key: 'repo:a/b' }),
      await me.remember('same', { scope_key: 'repo:a/c' }),
      await other.remember('same'),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('refuses the same content as another kind and names the field', async () => {
    const me = await bed.agent();
    await me.remember('the build takes nine minutes', { kind: 'fact' });
    expect(await me.refused('memory.remember', { content: 'the build takes nine minutes', kind: 'lesson' })).toMatchObject({
      code: 'conflict',
      field: 'kind',
      details: { kind: 'fact' },
    });
  });

  it('refuses the same policy with another rule, and takes it with the same rule', async () => {
    const me = await bed.agent();
    const rule = { effect: 'block', when: { paths: ['secrets/**'], action_types: ['code.*'] } };
    const policy = { content: 'Leave secrets alone.', kind: 'policy', rule };
    await me.ok('memory.remember', policy);
    expect(await me.ok('memory.remember', { ...policy, rule: { when: { action_types: ['code.*'], paths: ['secrets/**'] }, effect: 'block' } })).toMatchObject({
      created: false,
    });
    expect(await me.refused('memory.remember', { ...policy, rule: { ...rule, effect: 'warn' } })).toMatchObject({ code: 'conflict', field: 'rule' });
  });

  it('adds a further author to the provenance, once', async () => {
    const me = await bed.agent();
    const colleague = await bed.agent({ tenant: me.caller.tenantId });
    await me.remember('the cache is warm after a minute');
    await colleague.remember('the cache is warm after a minute', { source: { uri: 'https://example.test/log' } });
    const memory = await colleague.remember('the cache is warm after a minute');
    expect(memory.provenance.principal.id).toBe(me.caller.principalId);
    expect(memory.provenance.corroborations).toEqual([
      { principal: expect.objectContaining({ id: colleague.caller.principalId }), at: expect.any(String), source: { uri: 'https://example.test/log' } },
    ]);
  });

  it('keeps 50 parallel distinct writes', async () => {
    const me = await bed.agent();
    const memories = await Promise.all(Array.from({ length: 50 }, (_, n) => me.remember(`parallel fact number ${n}`, { scope_key: 'repo:acme/parallel' })));
    expect(new Set(memories.map(({ id }) => id)).size).toBe(50);
    expect((await me.ok('memory.search', { limit: 100 })).hits).toHaveLength(50);
  });

  it('makes one memory of 20 parallel identical writes, one of them created', async () => {
    const me = await bed.agent();
    const results = await Promise.all(Array.from({ length: 20 }, () => me.ok('memory.remember', { content: 'said twenty times', kind: 'fact' })));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ memory }) => memory.id)).size).toBe(1);
    expect((await me.ok('memory.search', {})).hits).toHaveLength(1);
  });

  it('gives every item of a batch its own result, in order, and loses no good one to a bad one', async () => {
    const me = await bed.agent();
    const { results, accepted, rejected } = await me.ok('memory.remember', {
      memories: [
        { content: 'first', kind: 'fact' },
        { content: 'second', kind: 'rumour' },
        7,
        { content: 'first', kind: 'fact' },
        { content: 'x', kind: 'fact', scope_key: 'planet:earth' },
        { content: 'third', kind: 'note' },
      ],
    });
    expect([accepted, rejected]).toEqual([3, 3]);
    expect(results.map(({ index, ok, created }: Record<string, unknown>) => [index, ok, created])).toEqual([
      [0, true, true],
      [1, false, undefined],
      [2, false, undefined],
      [3, true, false],
      [4, false, undefined],
      [5, true, true],
    ]);
    expect(results[1].error).toMatchObject({ code: 'validation', field: 'memories.1.kind', details: { allowed: expect.arrayContaining(['policy']) } });
    expect(results[2].error).toMatchObject({ code: 'validation', field: 'memories.2' });
    expect(results[4].error).toMatchObject({ field: 'memories.4.scope_key', details: { example: 'repo:acme/api' } });
    expect((await me.ok('memory.search', {})).hits).toHaveLength(2);
  });

  it('refuses a batch of which nothing is good and says why for each', async () => {
    const me = await bed.agent();
    const error = await me.refused('memory.remember', { memories: [{ content: ' ', kind: 'fact' }, { kind: 'fact' }] });
    expect(error).toMatchObject({ code: 'validation', field: 'memories' });
    expect((error.details?.results as { error: { field: string } }[]).map((result) => result.error.field)).toEqual([
      'memories.0.content',
      'memories.1.content',
    ]);
  });

  it('writes nothing of a batch that is over the limit', async () => {
    const me = await bed.agent();
    const memories = Array.from({ length: 257 }, (_, n) => ({ content: `item ${n}`, kind: 'fact' }));
    expect(await me.refused('memory.remember', { memories })).toMatchObject({ code: 'payload_too_large', field: 'memories', details: { limit: 256 } });
    expect((await me.ok('memory.search', {})).hits).toHaveLength(0);
    expect(await me.ok('memory.remember', { memories: memories.slice(1) })).toMatchObject({ accepted: 256, rejected: 0 });
  });

  it('names the live memories that say nearly the same, and only where the scope lets them', async () => {
    const me = await bed.agent();
    const known = await me.remember('Run the database migrations with npm run migrate before deploying the API.', { scope_key: 'repo:acme/api' });
    await me.remember('The office coffee machine is cleaned on Fridays.', { scope_key: 'repo:acme/api' });
    await me.remember('Run the database migrations with npm run migrate before deploying!', { scope_key: 'repo:acme/other' });
    const { similar } = await me.ok('memory.remember', {
      content: 'Before deploying the API, run the database migrations with npm run migrate.',
      kind: 'fact',
      scope_key: 'repo:acme/api',
    });
    expect(similar.map(({ id }: { id: string }) => id)).toEqual([known.id]);
    expect(similar[0]).toMatchObject({
      kind: 'fact',
      scope_key: 'repo:acme/api',
      similarity: expect.any(Number),
      excerpt: expect.stringContaining('migrations'),
    });
  });

  it('stores a memory without a vector when the embedder is down, and says so', async () => {
    const me = await bed.agent();
    bed.embedding.works = false;
    try {
      const memory = await me.remember('the tokenizer was down when this was written');
      expect(memory.embedding).toBe('pending');
      const { hits, degraded } = await me.ok('memory.search', { query: 'tokenizer' });
      expect(hits.map(({ id }: { id: string }) => id)).toEqual([memory.id]);
      expect(degraded).toEqual(['vector']);
      expect(hits[0].score_breakdown.vector).toMatchObject({ similarity: null, contribution: 0 });
    } finally {
      bed.embedding.works = true;
    }
  });

  it.each([
    ['content', { kind: 'fact' }],
    ['kind', { content: 'x' }],
    ['kind', { content: 'x', kind: 'poem' }],
    ['scope_key', { content: 'x', kind: 'fact', scope_key: 'acme/api' }],
    ['scope_key', { content: 'x', kind: 'fact', scope_key: 'repo:-bad' }],
    ['scope_key', { content: 'x', kind: 'fact', scope_key: `repo:${'a'.repeat(201)}` }],
    ['tags.0', { content: 'x', kind: 'fact', tags: [''] }],
    ['source.url', { content: 'x', kind: 'fact', source: { url: 'y' } }],
    ['occurred_at', { content: 'x', kind: 'fact', occurred_at: 'yesterday' }],
    ['occurred_at', { content: 'x', kind: 'fact', occurred_at: '2026-02-30T00:00:00Z' }],
    ['expires_at', { content: 'x', kind: 'fact', expires_at: '2020-01-01T00:00:00Z' }],
    ['rule', { content: 'x', kind: 'fact', rule: { effect: 'block', when: { paths: ['a'] } } }],
    ['rule.when', { content: 'x', kind: 'policy', rule: { effect: 'block', when: {} } }],
    ['rule.effect', { content: 'x', kind: 'policy', rule: { effect: 'explode', when: { paths: ['a'] } } }],
    ['rule.when.action_types.0', { content: 'x', kind: 'policy', rule: { effect: 'block', when: { action_types: ['two words'] } } }],
    ['content', { content: 'nul \0 byte', kind: 'fact' }],
    ['content', { content: 'half \ud83d pair', kind: 'fact' }],
    ['colour', { content: 'x', kind: 'fact', colour: 'red' }],
    ['kind', { kind: 'fact', memories: [{ content: 'x', kind: 'fact' }] }],
    ['memories', { memories: [] }],
  ])('names %s as the field to mend', async (field, input) => {
    const me = await bed.agent();
    expect(await me.refused('memory.remember', input)).toMatchObject({ code: 'validation', field });
    expect(bed.defects).toEqual([]);
  });

  it('keeps text that looks like SQL, search operators, paths and other scripts exactly as it is', async () => {
    const me = await bed.agent();
    for (const content of [
      "Robert'); drop table memory;--",
      'a & b | !c <-> :* "quoted',
      '日本語のメモ 🎉',
      '\\N %s $1 ${x}',
      '-- --no-verify',
      "it's 100% `src/db/pool.ts`",
    ]) {
      const memory = await me.remember(content);
      expect((await me.ok('memory.get', { id: memory.id })).memory.content).toBe(content);
      await me.ok('memory.search', { query: content });
    }
  });
});
