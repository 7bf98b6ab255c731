import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, type Testbed } from '../helpers/testbed.ts';

describeEngines('admission', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  async function company() {
    const owner = await bed.agent();
    const tenant = owner.caller.tenantId;
    for (const scope of [undefined, 'org:acme', 'repo:acme/api', 'branch:acme/api@main', 'repo:acme/web', 'repo:rival/api']) {
      await owner.remember(`budget figures of ${scope ?? 'everyone'}`, scope ? { scope_key: scope } : {});
    }
    return { owner, tenant };
  }

  it.each([
    ['repo:acme/api', ['branch:acme/api@main', 'repo:acme/api']],
    ['repo:acme/*', ['branch:acme/api@main', 'repo:acme/api', 'repo:acme/web']],
    ['org:acme', ['branch:acme/api@main', 'org:acme', 'repo:acme/api', 'repo:acme/web']],
    ['branch:*', ['branch:acme/api@main']],
    ['repo:*/api', ['branch:acme/api@main', 'repo:acme/api', 'repo:rival/api']],
    ['repo:acme_api', []],
    ['repo:%', []],
  ])('a grant on %s shows what it covers and nothing else', async (scope, expected) => {
    const { tenant } = await company();
    const agent = await bed.agent({ tenant, grants: [{ scope, can: ['read'] }] });
    const seen = async (input: object) => (await agent.ok('memory.search', { limit: 50, ...input })).hits.map(({ scope_key }: Output) => scope_key).sort();
    expect(await seen({})).toEqual(expected);
    expect(await seen({ query: 'budget figures' })).toEqual(expected);
    expect(await seen({ query: 'budget figures', filters: { scope_key: 'repo:rival/api', scope_mode: 'exact' } })).toEqual(
      expected.filter((key) => key === 'repo:rival/api'),
    );
  });

  it('what may not be seen does not exist', async () => {
    const { owner, tenant } = await company();
    const agent = await bed.agent({ tenant, grants: [{ scope: 'repo:rival/*', can: ['read', 'write'] }] });
    const foreign = await bed.agent();
    const secret = await owner.remember('hidden figure', { scope_key: 'repo:acme/api' });
    for (const other of [agent, foreign]) {
      const unseen = await other.refused('memory.get', { id: secret.id });
      const absent = await other.refused('memory.get', { id: 'mem_00000000000000000000000000' });
      expect({ ...unseen, message: '', request_id: '' }).toEqual({ ...absent, message: '', request_id: '' });
      expect(unseen.message.replace(secret.id, '')).toBe(absent.message.replace('mem_00000000000000000000000000', ''));
      for (const [verb, input] of [
        ['memory.revise', { tags: ['x'] }],
        ['memory.forget', {}],
      ] as const)
        expect(await other.refused(verb, { id: secret.id, ...input })).toMatchObject({ code: 'not_found' });
    }
  });

  it('refuses writes outside a write grant, item by item', async () => {
    const { tenant } = await company();
    const agent = await bed.agent({ tenant, grants: [{ scope: 'repo:acme/api', can: ['read', 'write'] }] });
    expect(await agent.refused('memory.remember', { content: 'x', kind: 'fact' })).toMatchObject({ code: 'forbidden', field: 'scope_key' });
    expect(await agent.refused('memory.remember', { content: 'x', kind: 'fact', scope_key: 'org:acme' })).toMatchObject({ code: 'forbidden' });
    const { results } = await agent.ok('memory.remember', {
      memories: [
        { content: 'x', kind: 'fact', scope_key: 'repo:acme/api' },
        { content: 'x', kind: 'fact', scope_key: 'repo:acme/web' },
      ],
    });
    expect(results).toMatchObject([{ ok: true }, { ok: false, error: { code: 'forbidden', field: 'memories.1.scope_key' } }]);
  });

  it('keeps policies to those who govern: writing, revising, promoting and forgetting', async () => {
    const { owner, tenant } = await company();
    const agent = await bed.agent({ tenant, grants: [{ scope: '*', can: ['read', 'write'] }] });
    const policy = await owner.remember('No deploys on Fridays.', { kind: 'policy' });
    const lesson = await agent.remember('Deploys on Fridays hurt.', { kind: 'lesson' });
    expect(await agent.refused('memory.remember', { content: 'Mine.', kind: 'policy' })).toMatchObject({
      code: 'forbidden',
      details: { permission: 'govern' },
    });
    expect(await agent.refused('memory.revise', { id: policy.id, content: 'Deploy whenever.' })).toMatchObject({ code: 'forbidden' });
    expect(await agent.refused('memory.revise', { id: lesson.id, kind: 'policy' })).toMatchObject({ code: 'forbidden' });
    expect(await agent.refused('memory.forget', { id: policy.id })).toMatchObject({ code: 'forbidden' });
    expect((await owner.ok('memory.revise', { id: lesson.id, kind: 'policy' })).memory.kind).toBe('policy');
  });

  it('refuses a verb whose permission the caller holds nowhere', async () => {
    const { tenant } = await company();
    const reader = await bed.agent({ tenant, grants: [{ scope: '*', can: ['read'] }] });
    const writer = await bed.agent({ tenant, grants: [{ scope: 'repo:a/*', can: ['write'] }] });
    expect(await reader.refused('memory.remember', { content: 'x', kind: 'fact' })).toMatchObject({ code: 'forbidden' });
    expect(await writer.refused('memory.search', {})).toMatchObject({ code: 'forbidden' });
    expect((await writer.remember('write-only', { scope_key: 'repo:a/b' })).content).toBe('write-only');
  });

  it('scores a memory the same whatever lies in scopes that the caller does not search', async () => {
    const me = await bed.agent();
    const input = { query: 'quarterly zebra audit', filters: { scope_key: 'repo:acme/api' } };
    await me.remember('The quarterly audit counts zebra crossings.', { scope_key: 'repo:acme/api' });
    const before = (await me.ok('memory.search', input)).hits[0].score_breakdown.text;
    await me.ok('memory.remember', {
      memories: Array.from({ length: 40 }, (_, n) => ({ content: `zebra quarterly audit ${n}`, kind: 'fact', scope_key: 'repo:rival/api' })),
    });
    expect((await me.ok('memory.search', input)).hits[0].score_breakdown.text).toEqual(before);
  });

  it('does not name similar memories of scopes that the caller may not read', async () => {
    const { owner, tenant } = await company();
    await owner.remember('The vault code is kept by Mira and Jonas.', { scope_key: 'org:acme' });
    const agent = await bed.agent({ tenant, grants: [{ scope: 'repo:acme/api', can: ['read', 'write'] }] });
    const { similar } = await agent.ok('memory.remember', { content: 'The vault code is kept by Jonas and Mira.', kind: 'fact', scope_key: 'repo:acme/api' });
    expect(similar).toEqual([]);
  });

  it('writes one audit row for every write and check, refused ones too, without text', async () => {
    const me = await bed.agent();
    const memory = await me.remember('audited walrus');
    await me.refused('memory.remember', { content: 'audited walrus', kind: 'lesson' });
    await me.ok('preflight.action', { action: { action_type: 'a.b', summary: 'walrus' } });
    await me.ok('memory.forget', { id: memory.id });
    await me.ok('memory.search', { query: 'walrus' });
    const rows = await bed.database.query<{ event: string; outcome: string; subjects: string[]; text: string }>(
      'select event, outcome, subjects, a::text as text from audit a where tenant_id = $1 order by audit_no',
      [me.caller.tenantId],
    );
    expect(rows.map(({ event, outcome }) => [event, outcome])).toEqual([
      ['memory.remember', 'ok'],
      ['memory.remember', 'conflict'],
      ['preflight.action', 'ok'],
      ['memory.forget', 'ok'],
    ]);
    expect(rows[0]?.subjects).toEqual([memory.id]);
    expect(rows.map(({ text }) => text).join()).not.toContain('walrus');
    await expect(bed.database.query('delete from audit')).rejects.toThrow(/never changed or deleted/);
  });
});
