import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, type Testbed } from '../helpers/testbed.ts';

const contents = (hits: Output[]) => hits.map(({ content }) => content);

describeEngines('memory.search', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  it('finds a paraphrase, and the sum of the contributions is the score', async () => {
    const me = await bed.agent();
    await me.remember('Retry failed payments three times with exponential backoff.', { scope_key: 'repo:acme/pay' });
    await me.remember('The cafeteria serves soup on Mondays.', { scope_key: 'repo:acme/pay' });
    await me.remember('Invoices are sent as PDF by email.', { scope_key: 'repo:acme/pay' });
    const { hits, degraded } = await me.ok('memory.search', {
      query: 'how often do we try again when a charge does not go through?',
      filters: { scope_key: 'repo:acme/pay' },
    });
    expect(degraded).toBeUndefined();
    expect(hits[0].content).toContain('Retry failed payments');
    for (const hit of hits) {
      const parts: { contribution: number }[] = Object.values(hit.score_breakdown);
      expect(Math.abs(parts.reduce((sum, { contribution }) => sum + contribution, 0) - hit.score)).toBeLessThan(1e-9);
      expect(hit.score).toBeGreaterThanOrEqual(0);
      expect(hit.score).toBeLessThanOrEqual(1);
      expect(hit.provenance.principal.id).toBe(me.caller.principalId);
    }
    expect(hits.map(({ score }: Output) => score)).toEqual([...hits.map(({ score }: Output) => score)].sort((a, b) => b - a));
  });

  it.each([
    ['parse_config', 'The function parse_config reads YAML.'],
    ['parse config', 'The function parse_config reads YAML.'],
    ['src/db/pool.ts', 'Connection limits live in src/db/pool.ts.'],
    ['pool.ts', 'Connection limits live in src/db/pool.ts.'],
    ['ERR_1042', 'ERR_1042 means that the lease expired.'],
    ['1042', 'ERR_1042 means that the lease expired.'],
    ['--no-verify', 'Commits with --no-verify skip the hooks.'],
    ['no-verify', 'Commits with --no-verify skip the hooks.'],
    ['v2.3.1', 'Since v2.3.1 the exporter batches.'],
    ['getUserById', 'Call getUserById with a number.'],
    ['user by id', 'Call getUserById with a number.'],
  ])('finds the identifier %s whole and in part', async (query, expected) => {
    const me = await bed.agent();
    bed.embedding.works = false;
    try {
      const all = [
        'The function parse_config reads YAML.',
        'Connection limits live in src/db/pool.ts.',
        'ERR_1042 means that the lease expired.',
        'Commits with --no-verify skip the hooks.',
        'Since v2.3.1 the exporter batches.',
        'Call getUserById with a number.',
      ];
      await me.ok('memory.remember', { memories: all.map((content) => ({ content, kind: 'fact' })) });
      expect(contents((await me.ok('memory.search', { query })).hits)[0]).toBe(expected);
    } finally {
      bed.embedding.works = true;
    }
  });

  it('matches any of the words, not all of them', async () => {
    const me = await bed.agent();
    bed.embedding.works = false;
    try {
      await me.remember('Rollbacks need a ticket.');
      expect((await me.ok('memory.search', { query: 'what must I prepare before performing rollbacks on a Friday evening?' })).hits).toHaveLength(1);
    } finally {
      bed.embedding.works = true;
    }
  });

  it('searches a scope, what encloses it and tenant-wide, and nothing beside it', async () => {
    const me = await bed.agent();
    const places = [undefined, 'org:acme', 'repo:acme/api', 'branch:acme/api@main', 'repo:acme/web', 'branch:acme/api@dev', 'session:s1', 'org:other'];
    for (const scope of places) await me.remember(`deploy note of ${scope ?? 'everyone'}`, scope ? { scope_key: scope } : {});
    const found = async (filters: object) =>
      contents((await me.ok('memory.search', { query: 'deploy note', filters, limit: 50 })).hits)
        .map((text) => text.replace('deploy note of ', ''))
        .sort();
    expect(await found({ scope_key: 'branch:acme/api@main' })).toEqual(['branch:acme/api@main', 'everyone', 'org:acme', 'repo:acme/api']);
    expect(await found({ scope_key: 'repo:acme/api' })).toEqual(['everyone', 'org:acme', 'repo:acme/api']);
    expect(await found({ scope_key: 'repo:acme/api', scope_mode: 'exact' })).toEqual(['repo:acme/api']);
    expect(await found({ scope_mode: 'exact' })).toEqual(['everyone']);
    expect(await found({ scope_key: 'session:s1' })).toEqual(['everyone', 'session:s1']);
    expect(await found({})).toHaveLength(places.length);
  });

  it('filters by kinds, tags and time without hiding a match behind better ones', async () => {
    const me = await bed.agent();
    await me.ok('memory.remember', {
      memories: Array.from({ length: 120 }, (_, n) => ({ content: `release checklist release checklist entry ${n}`, kind: 'note' })),
    });
    await me.remember('Somebody should write a release checklist one day, perhaps after the summer holidays are over.', {
      kind: 'lesson',
      tags: ['rare', 'b'],
      occurred_at: '2026-03-01T00:00:00Z',
    });
    const one = async (filters: object) => (await me.ok('memory.search', { query: 'release checklist', filters })).hits.map(({ kind }: Output) => kind);
    expect(await one({ kinds: ['lesson'] })).toEqual(['lesson']);
    expect(await one({ tags: ['b', 'rare'] })).toEqual(['lesson']);
    expect(await one({ tags: ['b', 'missing'] })).toEqual([]);
    expect(await one({ since: '2026-02-01T00:00:00Z', until: '2026-04-01T00:00:00Z' })).toEqual(['lesson']);
  });

  it('lists the newest memories without a query, in pages that neither repeat nor skip', async () => {
    const me = await bed.agent();
    await me.ok('memory.remember', { memories: Array.from({ length: 25 }, (_, n) => ({ content: `entry ${n}`, kind: 'note' })) });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await me.ok('memory.search', { limit: 10, ...(cursor !== undefined && { cursor }) });
      seen.push(...contents(page.hits));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('pages through a ranking in the order of one long page', async () => {
    const me = await bed.agent();
    await me.ok('memory.remember', {
      memories: Array.from({ length: 30 }, (_, n) => ({ content: `the build ${'was slow '.repeat(n % 7)}number ${n}`, kind: 'note' })),
    });
    const whole = await me.ok('memory.search', { query: 'slow build', limit: 30 });
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      bed.clock.now = new Date(bed.clock.now.getTime() + 1_000);
      const page = await me.ok('memory.search', { query: 'slow build', limit: 7, ...(cursor !== undefined && { cursor }) });
      paged.push(...contents(page.hits));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(contents(whole.hits));
  });

  it('refuses a cursor that is forged or belongs to another search', async () => {
    const me = await bed.agent();
    await me.ok('memory.remember', { memories: Array.from({ length: 5 }, (_, n) => ({ content: `page ${n}`, kind: 'note' })) });
    const { next_cursor: cursor } = await me.ok('memory.search', { limit: 2 });
    for (const [input, hint] of [
      [{ cursor: 'nonsense' }, 'forged'],
      [{ query: 'page', cursor }, 'another search'],
      [{ filters: { kinds: ['note'] }, cursor }, 'other filters'],
    ] as const) {
      expect(await me.refused('memory.search', input), hint).toMatchObject({ code: 'validation', field: 'cursor' });
    }
  });

  it('leaves out what scores below min_score and answers an empty list', async () => {
    const me = await bed.agent();
    await me.remember('Lanterns float on the river in autumn.');
    expect((await me.ok('memory.search', { query: 'kubernetes ingress timeout', min_score: 0.3 })).hits).toEqual([]);
    expect(await me.ok('memory.search', { query: 'anything', filters: { scope_key: 'repo:no/where', scope_mode: 'exact' } })).toEqual({ hits: [] });
  });

  it('ranks a policy no lower than an equally relevant lesson', async () => {
    const me = await bed.agent();
    await me.remember('Keep the changelog current.', { kind: 'lesson', scope_key: 'repo:acme/api' });
    await me.remember('Keep the changelog current.', { kind: 'policy' });
    expect((await me.ok('memory.search', { query: 'changelog', filters: { scope_key: 'repo:acme/api' } })).hits.map(({ kind }: Output) => kind)).toEqual([
      'policy',
      'lesson',
    ]);
  });

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 101 }],
    ['limit', { limit: '5' }],
    ['filters.scope_key', { filters: { scope_key: 'nowhere' } }],
    ['filters.colour', { filters: { colour: 1 } }],
    ['filters.kinds.0', { filters: { kinds: ['poem'] } }],
    ['filters.since', { filters: { since: 'soon' } }],
    ['min_score', { min_score: 2 }],
    ['query', { query: 7 }],
    ['filters', { filters: 'repo:acme/api' }],
    ['q', { q: 'x' }],
  ])('names %s as the field to mend', async (field, input) => {
    const me = await bed.agent();
    expect(await me.refused('memory.search', input)).toMatchObject({ code: 'validation', field });
  });

  it.each([
    '',
    '   ',
    '!!! ??? ...',
    "'; drop table memory; --",
    'a & b | c <-> d:*',
    '(((',
    '\u202e reversed',
    '日本語',
    '🎉🎉',
    '%',
    '_',
    '\\',
    'x'.repeat(8000),
    'the of and',
  ])('takes the query %j without a fault', async (query) => {
    const me = await bed.agent();
    await me.remember('something to find 日本語');
    await me.ok('memory.search', { query });
    expect(bed.defects).toEqual([]);
  });
});
