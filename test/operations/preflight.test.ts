import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, type Testbed } from '../helpers/testbed.ts';

const push = { action_type: 'git.push', summary: 'push the release branch to main', command: 'git push origin main', scope_key: 'repo:acme/api' };
const edit = { action_type: 'code.patch.apply', summary: 'change a migration', changed_files: ['migrations/0001.sql'], scope_key: 'repo:acme/api' };

describeEngines('preflight.action and preflight.report', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });
  const noEdits = {
    kind: 'policy',
    scope_key: 'org:acme',
    rule: { effect: 'block', when: { paths: ['migrations/**'] }, message: 'Migrations are never edited.' },
  };

  it('allows what nothing bears on, and says so', async () => {
    const me = await bed.agent();
    expect(await me.ok('preflight.action', { action: push })).toMatchObject({
      check_id: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
      verdict: 'allow',
      advisory: true,
      reasons: [{ effect: 'allow', code: 'no_policy' }],
      citations: [],
    });
  });

  it('blocks what a rule forbids and cites the policy', async () => {
    const me = await bed.agent();
    const policy = await me.remember('Released migrations stay as they are.', noEdits);
    const verdict = await me.ok('preflight.action', { action: edit });
    expect(verdict.verdict).toBe('block');
    expect(verdict.reasons[0]).toMatchObject({
      effect: 'block',
      code: 'rule_matched',
      message: 'Migrations are never edited.',
      citation: policy.id,
      matched: { paths: ['migrations/0001.sql'] },
    });
    expect(verdict.citations[0]).toMatchObject({
      memory_id: policy.id,
      kind: 'policy',
      scope_key: 'org:acme',
      revision: 1,
      excerpt: policy.content,
      provenance: { principal: { id: me.caller.principalId } },
    });
    expect((await me.ok('preflight.action', { action: { ...edit, changed_files: ['docs/migrations.md'] } })).verdict).toBe('allow');
    expect((await me.ok('preflight.action', { action: { ...edit, scope_key: 'repo:other/api' } })).verdict).toBe('allow');
  });

  it('cites a matching rule even among many policies that read more alike', async () => {
    const me = await bed.agent();
    const memories = Array.from({ length: 150 }, (_, n) => ({
      content: `Never change a migration in folder number ${n} \`other/${n}/\`.`,
      kind: 'policy',
      scope_key: 'repo:acme/api',
    }));
    await me.ok('memory.remember', { memories });
    const policy = await me.remember('Hands off.', noEdits);
    const { citations, verdict } = await me.ok('preflight.action', { action: edit });
    expect(verdict).toBe('block');
    expect(citations.map(({ memory_id }: Output) => memory_id)).toContain(policy.id);
  });

  it('reads a policy in plain words', async () => {
    const me = await bed.agent();
    await me.remember('Ask for approval before you push to main.', { kind: 'policy', scope_key: 'repo:acme/api' });
    const verdict = await me.ok('preflight.action', { action: push });
    expect(verdict).toMatchObject({
      verdict: 'require_approval',
      approval: { status: 'required', check_id: verdict.check_id },
      reasons: [{ code: 'policy_applies' }],
    });
  });

  it('lets a lesson warn and no more', async () => {
    const me = await bed.agent();
    await me.remember('Never push to main without running the whole test suite.', { kind: 'lesson', scope_key: 'repo:acme/api' });
    expect(await me.ok('preflight.action', { action: push })).toMatchObject({ verdict: 'warn', reasons: [{ effect: 'warn', code: 'lesson_applies' }] });
  });

  it('leaves out a policy that is superseded, forgotten or expired', async () => {
    const me = await bed.agent();
    const one = await me.remember('First rule.', noEdits);
    await me.ok('memory.revise', { id: one.id, content: 'First rule, withdrawn.', rule: null, kind: 'note' });
    const two = await me.remember('Second rule.', noEdits);
    await me.ok('memory.forget', { id: two.id });
    await me.remember('Third rule.', { ...noEdits, expires_at: new Date(bed.clock.now.getTime() + 1_000).toISOString() });
    const before = bed.clock.now;
    bed.clock.now = new Date(before.getTime() + 1_000);
    expect((await me.ok('preflight.action', { action: edit })).verdict).toBe('allow');
    bed.clock.now = before;
  });

  it('never allows in silence when recall is degraded', async () => {
    const me = await bed.agent();
    bed.embedding.works = false;
    try {
      expect(await me.ok('preflight.action', { action: push })).toMatchObject({
        verdict: 'warn',
        degraded: ['vector'],
        reasons: [{ code: 'recall_degraded' }],
      });
    } finally {
      bed.embedding.works = true;
    }
  });

  it('turns an approved require_approval into allow for the same action until it expires', async () => {
    const me = await bed.agent();
    await me.remember('Ask for approval before you push to main.', { kind: 'policy', scope_key: 'repo:acme/api' });
    const before = bed.clock.now;
    const { check_id } = await me.ok('preflight.action', { action: push });
    const { expires_at } = await me.ok('preflight.report', { check_id, outcome: 'approved' });
    expect(expires_at).toBe(new Date(before.getTime() + 3_600_000).toISOString());
    expect(await me.ok('preflight.report', { check_id, outcome: 'approved' })).toEqual({ check_id, outcome: 'approved', expires_at });
    expect(await me.ok('preflight.action', { action: { ...push, summary: 'worded anew: push the release branch to main' } })).toMatchObject({
      verdict: 'allow',
      approval: { status: 'approved', check_id, expires_at, principal: { id: me.caller.principalId } },
    });
    for (const other of [{ command: 'git push origin main --force' }, { changed_files: ['a.ts'] }, { scope_key: 'branch:acme/api@main' }]) {
      expect((await me.ok('preflight.action', { action: { ...push, ...other } })).verdict).toBe('require_approval');
    }
    bed.clock.now = new Date(before.getTime() + 3_600_001);
    expect((await me.ok('preflight.action', { action: push })).verdict).toBe('require_approval');
    bed.clock.now = before;
  });

  it('blocks a rejected action and refuses the contrary decision', async () => {
    const me = await bed.agent();
    const { check_id } = await me.ok('preflight.action', { action: push });
    await me.ok('preflight.report', { check_id, outcome: 'rejected', note: 'not on a Friday' });
    expect(await me.ok('preflight.action', { action: push })).toMatchObject({
      verdict: 'block',
      reasons: [{ code: 'rejected' }],
      approval: { status: 'rejected' },
    });
    expect(await me.refused('preflight.report', { check_id, outcome: 'approved' })).toMatchObject({
      code: 'conflict',
      field: 'outcome',
      details: { decision: 'rejected' },
    });
  });

  it('lets one of two contrary decisions win', async () => {
    const me = await bed.agent();
    const { check_id } = await me.ok('preflight.action', { action: push });
    const outcomes = await Promise.all(['approved', 'rejected'].map((outcome) => me.invoke('preflight.report', { check_id, outcome })));
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  it('warns after a failure of the same action until it succeeds', async () => {
    const me = await bed.agent();
    const check = async () => await me.ok('preflight.action', { action: push });
    const first = await check();
    await me.ok('preflight.report', { check_id: first.check_id, outcome: 'failed' });
    expect(await me.refused('preflight.report', { check_id: first.check_id, outcome: 'succeeded' })).toMatchObject({ code: 'conflict' });
    bed.clock.now = new Date(bed.clock.now.getTime() + 1);
    const second = await check();
    expect(second).toMatchObject({ verdict: 'warn', reasons: [{ code: 'earlier_failure' }] });
    await me.ok('preflight.report', { check_id: second.check_id, outcome: 'succeeded' });
    expect((await check()).verdict).toBe('allow');
  });

  it('remembers the lesson of a report in the scope of the action', async () => {
    const me = await bed.agent();
    const { check_id } = await me.ok('preflight.action', { action: push });
    const { memory } = await me.ok('preflight.report', { check_id, outcome: 'failed', lesson: 'The release branch needs a green build first.' });
    expect(memory).toMatchObject({ kind: 'lesson', scope_key: 'repo:acme/api', provenance: { check_id } });
  });

  it('takes useful only for what the check cited', async () => {
    const me = await bed.agent();
    const policy = await me.remember('Released migrations stay.', noEdits);
    const { check_id } = await me.ok('preflight.action', { action: edit });
    await me.ok('preflight.report', { check_id, outcome: 'abandoned', useful: [policy.id] });
    expect(await me.refused('preflight.report', { check_id, outcome: 'abandoned', useful: ['mem_other'] })).toMatchObject({
      code: 'validation',
      field: 'useful',
    });
  });

  it('keeps decisions to those who may approve, and checks to those who may read', async () => {
    const me = await bed.agent();
    const writer = await bed.agent({ tenant: me.caller.tenantId, grants: [{ scope: 'repo:acme/*', can: ['read', 'write'] }] });
    const stranger = await bed.agent({ tenant: me.caller.tenantId, grants: [{ scope: 'repo:other/*', can: ['read', 'write', 'approve'] }] });
    const foreign = await bed.agent();
    const { check_id } = await me.ok('preflight.action', { action: push });
    expect(await writer.refused('preflight.report', { check_id, outcome: 'approved' })).toMatchObject({ code: 'forbidden' });
    await writer.ok('preflight.report', { check_id, outcome: 'abandoned' });
    for (const other of [stranger, foreign])
      expect(await other.refused('preflight.report', { check_id, outcome: 'approved' })).toMatchObject({ code: 'not_found', field: 'check_id' });
    expect(await stranger.refused('preflight.action', { action: push })).toMatchObject({ code: 'forbidden', field: 'scope_key' });
  });

  it.each([
    ['action', {}],
    ['action.action_type', { action: { summary: 'x' } }],
    ['action.action_type', { action: { action_type: 'two words', summary: 'x' } }],
    ['action.summary', { action: { action_type: 'a.b' } }],
    ['action.changed_files', { action: { action_type: 'a.b', summary: 'x', changed_files: 'a' } }],
    ['action.scope_key', { action: { action_type: 'a.b', summary: 'x', scope_key: 'x' } }],
    ['action.risk', { action: { action_type: 'a.b', summary: 'x', risk: 1 } }],
    ['verdict', { action: { action_type: 'a.b', summary: 'x' }, verdict: 'allow' }],
  ])('names %s as the field to mend', async (field, input) => {
    const me = await bed.agent();
    expect(await me.refused('preflight.action', input)).toMatchObject({ code: 'validation', field });
  });
});
