import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, type Testbed } from '../helpers/testbed.ts';

const ids = (hits: Output[]) => hits.map(({ id }) => id);

describeEngines('memory.revise, memory.forget and memory.get', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  it('makes new content a new memory that supersedes the old one', async () => {
    const me = await bed.agent();
    const old = await me.remember('The API listens on port 3000.', { scope_key: 'repo:acme/api', tags: ['net'], kind: 'fact' });
    const { memory, supersedes } = await me.ok('memory.revise', {
      id: old.id,
      expected_revision: 1,
      content: 'The API listens on port 8080.',
      reason: 'moved',
    });
    expect(supersedes).toBe(old.id);
    expect(memory).toMatchObject({
      kind: 'fact',
      tags: ['net'],
      scope_key: 'repo:acme/api',
      revision: 2,
      status: 'live',
      provenance: { supersedes: [old.id] },
    });
    expect((await me.ok('memory.get', { id: old.id })).memory).toMatchObject({
      status: 'superseded',
      superseded_by: memory.id,
      content: 'The API listens on port 3000.',
    });
    expect(ids((await me.ok('memory.search', { query: 'API port' })).hits)).toEqual([memory.id]);
    const { history } = await me.ok('memory.get', { id: memory.id });
    expect(history.map(({ memory_id, change }: Output) => [memory_id, change])).toEqual([
      [old.id, 'remembered'],
      [memory.id, 'remembered'],
      [old.id, 'superseded'],
      [memory.id, 'revised'],
    ]);
    expect(history[2].reason).toBe('moved');
  });

  it('answers an as_of search with what was live then', async () => {
    const me = await bed.agent();
    const start = bed.clock.now;
    const old = await me.remember('The queue holds 100 jobs.');
    bed.clock.now = new Date(start.getTime() + 60_000);
    const { memory } = await me.ok('memory.revise', { id: old.id, content: 'The queue holds 500 jobs.' });
    const asOf = async (at: Date) => ids((await me.ok('memory.search', { query: 'queue jobs', filters: { as_of: at.toISOString() } })).hits);
    expect(await asOf(new Date(start.getTime() + 30_000))).toEqual([old.id]);
    expect(await asOf(bed.clock.now)).toEqual([memory.id]);
    expect(await asOf(new Date(start.getTime() - 1))).toEqual([]);
    bed.clock.now = start;
  });

  it('restores the memory that already has the new content', async () => {
    const me = await bed.agent();
    const first = await me.remember('Use tabs.');
    const { memory: second } = await me.ok('memory.revise', { id: first.id, content: 'Use spaces.' });
    const { memory: back } = await me.ok('memory.revise', { id: second.id, content: 'Use tabs.' });
    expect(back).toMatchObject({ id: first.id, status: 'live', revision: 3 });
    expect((await me.ok('memory.get', { id: second.id })).memory).toMatchObject({ status: 'superseded', superseded_by: first.id });
    expect((await me.ok('memory.get', { id: back.id })).history.at(-1)).toMatchObject({ change: 'restored' });
  });

  it('raises the revision of the same memory when other fields change', async () => {
    const me = await bed.agent();
    const memory = await me.remember('Never force-push to main.', { kind: 'lesson' });
    const { memory: revised, supersedes } = await me.ok('memory.revise', {
      id: memory.id,
      kind: 'policy',
      tags: ['git'],
      rule: { effect: 'block', when: { commands: ['git push --force*'] } },
    });
    expect(supersedes).toBeUndefined();
    expect(revised).toMatchObject({ id: memory.id, kind: 'policy', tags: ['git'], revision: 2, rule: { effect: 'block' } });
    expect((await me.ok('memory.revise', { id: memory.id, rule: null })).memory.rule).toBeUndefined();
  });

  it('refuses a stale expected_revision and tells the current one', async () => {
    const me = await bed.agent();
    const memory = await me.remember('The limit is 10.');
    await me.ok('memory.revise', { id: memory.id, tags: ['a'] });
    expect(await me.refused('memory.revise', { id: memory.id, expected_revision: 1, tags: ['b'] })).toMatchObject({
      code: 'conflict',
      field: 'expected_revision',
      details: { revision: 2 },
    });
  });

  it('lets one of two parallel revisions of the same revision win', async () => {
    const me = await bed.agent();
    const memory = await me.remember('The limit is 11.');
    const outcomes = await Promise.all(
      ['The limit is 12.', 'The limit is 13.'].map((content) => me.invoke('memory.revise', { id: memory.id, expected_revision: 1, content })),
    );
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'conflict' } });
    expect((await me.ok('memory.search', {})).hits).toHaveLength(1);
  });

  it('refuses to revise what was superseded and names its successor', async () => {
    const me = await bed.agent();
    const old = await me.remember('A was chosen.');
    const { memory } = await me.ok('memory.revise', { id: old.id, content: 'B was chosen.' });
    expect(await me.refused('memory.revise', { id: old.id, content: 'C was chosen.' })).toMatchObject({
      code: 'conflict',
      details: { superseded_by: memory.id },
    });
  });

  it('refuses a revision that changes nothing', async () => {
    const me = await bed.agent();
    const memory = await me.remember('unchanging');
    expect(await me.refused('memory.revise', { id: memory.id })).toMatchObject({ code: 'validation' });
  });

  it('leaves a tombstone: gone to get and revise, absent from search, forgotten again without harm', async () => {
    const me = await bed.agent();
    const memory = await me.remember('The staging password rotates weekly.', { tags: ['x'] });
    const first = await me.ok('memory.forget', { id: memory.id, reason: 'wrong' });
    expect(first).toEqual({ id: memory.id, forgotten_at: bed.clock.now.toISOString(), erased: false });
    expect(await me.ok('memory.forget', { id: memory.id })).toEqual(first);
    expect(await me.refused('memory.get', { id: memory.id })).toMatchObject({ code: 'gone', details: { forgotten_at: first.forgotten_at } });
    expect(await me.refused('memory.revise', { id: memory.id, content: 'new' })).toMatchObject({ code: 'gone' });
    expect((await me.ok('memory.search', { query: 'staging password' })).hits).toEqual([]);
    expect((await me.ok('memory.search', { filters: { as_of: bed.clock.now.toISOString() } })).hits).toEqual([]);
  });

  it('revives forgotten content with a higher revision, even as another kind', async () => {
    const me = await bed.agent();
    const memory = await me.remember('Restart the worker after a deploy.', { kind: 'fact' });
    await me.ok('memory.forget', { id: memory.id });
    const revived = await me.ok('memory.remember', { content: memory.content, kind: 'procedure' });
    expect(revived).toMatchObject({ created: false, memory: { id: memory.id, kind: 'procedure', status: 'live', revision: 3 } });
    expect(ids((await me.ok('memory.search', { query: 'restart worker' })).hits)).toEqual([memory.id]);
  });

  it('destroys content, vector, terms and history text when asked to erase', async () => {
    const me = await bed.agent();
    const memory = await me.remember('zanzibar quokka erasure probe', { tags: ['zanzibar'], source: { uri: 'https://example.test/zanzibar' } });
    await me.ok('memory.revise', { id: memory.id, tags: ['zanzibar2'], reason: 'zanzibar reason' });
    await me.ok('memory.forget', { id: memory.id });
    expect(await me.ok('memory.forget', { id: memory.id, erase: true })).toMatchObject({ erased: true });
    for (const table of ['memory', 'memory_event', 'posting', 'memory_vector', 'corroboration', 'audit']) {
      const rows = await bed.database.query<{ row: string }>(`select t::text as row from ${table} t where tenant_id = $1`, [me.caller.tenantId]);
      expect(rows.map(({ row }) => row).join('\n'), table).not.toMatch(/zanzibar|quokka/);
    }
    expect(await bed.database.query('select from memory_vector where tenant_id = $1', [me.caller.tenantId])).toHaveLength(0);
  });

  it('treats an expired memory as forgotten, and takes it back when it is said again', async () => {
    const me = await bed.agent();
    const memory = await me.remember('The freeze ends soon.', { expires_at: new Date(bed.clock.now.getTime() + 60_000).toISOString() });
    const before = bed.clock.now;
    bed.clock.now = new Date(before.getTime() + 60_000);
    expect(await me.refused('memory.get', { id: memory.id })).toMatchObject({ code: 'gone', details: { expires_at: memory.expires_at } });
    expect((await me.ok('memory.search', { query: 'freeze' })).hits).toEqual([]);
    const revived = await me.ok('memory.remember', { content: memory.content, kind: 'fact' });
    expect(revived.memory).toMatchObject({ id: memory.id, status: 'live', revision: 2 });
    expect(ids((await me.ok('memory.search', { query: 'freeze' })).hits)).toEqual([memory.id]);
    bed.clock.now = before;
  });

  it('keeps the counts behind BM25 exact through revisions, tombstones and revivals', async () => {
    const me = await bed.agent();
    const one = await me.remember('alpha beta gamma');
    await me.remember('delta epsilon');
    await me.ok('memory.forget', { id: one.id });
    await me.remember('alpha beta gamma');
    await bed.store.unindexExpired(bed.clock.now, () => [], 10);
    const [scope] = await bed.database.query<{ memories: number; n: number }>(
      `select s.memories, count(m.*)::int as n
from scope s join memory m on m.tenant_id = s.tenant_id and m.scope_no = s.scope_no where s.tenant_id = $1 group by 1`,
      [me.caller.tenantId],
    );
    expect(scope).toEqual({ memories: 2, n: 2 });
  });

  it.each(['memory.get', 'memory.revise', 'memory.forget'])('%s does not find what is not there', async (verb) => {
    const me = await bed.agent();
    expect(await me.refused(verb, { id: 'mem_00000000000000000000000000', ...(verb === 'memory.revise' && { tags: [] }) })).toMatchObject({
      code: 'not_found',
      field: 'id',
    });
  });
});
