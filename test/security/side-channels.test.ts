import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, type Testbed } from '../helpers/testbed.ts';

/** Narrow ways in which one caller could learn of another. */
describeEngines('side channels', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  it('a refused report names no memory that the reporter may not read', async () => {
    const owner = await bed.agent();
    const secret = await owner.remember('Deploys wait for the merger.', { kind: 'policy', rule: { effect: 'warn', when: { action_types: ['deploy.*'] } } });
    const action = { action_type: 'deploy.run', summary: 'deploy', scope_key: 'repo:acme/api' };
    const { check_id, citations } = await owner.ok('preflight.action', { action });
    expect(citations).toMatchObject([{ memory_id: secret.id }]);
    const reporter = await bed.agent({ tenant: owner.caller.tenantId, grants: [{ scope: 'repo:acme/api', can: ['read', 'write'] }] });
    const error = await reporter.refused('preflight.report', { check_id, outcome: 'succeeded', useful: ['mem_guess'] });
    expect(error).toMatchObject({ code: 'validation', field: 'useful' });
    expect(JSON.stringify(error)).not.toContain(secret.id);
  });

  it('a cursor does not count what other tenants write', async () => {
    expect(await gap(bed, 7)).toBe(await gap(bed, 0));
  });

  it('what a memory borrows from its neighbours does not tell of writes in other tenants', async () => {
    const context = async (between: number) => {
      const me = await bed.agent();
      const stranger = await bed.agent();
      await me.remember('Where did the walrus go?', { occurred_at: '2026-10-01T10:00:00Z' });
      if (between > 0) await stranger.ok('memory.remember', many(between));
      await me.remember('To the far side of the bay.', { occurred_at: '2026-10-01T10:01:00Z' });
      const { hits } = await me.ok('memory.search', { query: 'where did the walrus go' });
      return hits.map(({ score_breakdown }: Output) => score_breakdown.context);
    };
    expect(await context(2)).toEqual(await context(0));
  });
});

function many(count: number) {
  return { memories: Array.from({ length: count }, (_, n) => ({ content: `somebody else's note ${n}`, kind: 'note' })) };
}

function placeIn(cursor: string): number {
  return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')).no;
}

/** Between the places of two memories of one tenant, as its cursors tell them. */
async function gap(bed: Testbed, between: number): Promise<number> {
  const me = await bed.agent();
  await me.remember('first');
  await me.remember('second');
  const { next_cursor: early } = await me.ok('memory.search', { limit: 1 });
  const stranger = await bed.agent();
  if (between > 0) await stranger.ok('memory.remember', many(between));
  await me.remember('third');
  const { next_cursor: late } = await me.ok('memory.search', { limit: 1 });
  return placeIn(late) - placeIn(early);
}
