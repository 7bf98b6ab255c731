import { beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Testbed } from '../helpers/testbed.ts';

// Put together here, so that no scanner takes this file for a leak.
const github = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
const aws = `aws_secret_access_key = "${'wJalrXUtnFEMI/K7MDENG'}/bPxRfiCYEXAMPLEKAA"`;
const own = ['kbt', 'acme', 'A'.repeat(43)].join('_');

describeEngines('secrets', (open) => {
  let bed: Testbed;
  beforeAll(async () => {
    bed = await createTestbed(await open());
  });

  it.each([
    ['content', { content: `use ${github} to push` }],
    ['content', { content: aws }],
    ['content', { content: `the token is ${own}` }],
    ['tags.1', { content: 'x', tags: ['ci', github] }],
    ['source.uri', { content: 'x', source: { uri: `https://x:${github}@example.test/` } }],
  ])('are refused in %s, named by kind and never repeated', async (field, input) => {
    const me = await bed.agent();
    const error = await me.refused('memory.remember', { kind: 'fact', ...input });
    expect(error).toMatchObject({ code: 'validation', field, details: { secret: expect.any(String) } });
    for (const secret of [github, own, 'wJalrXUtnFEMI']) expect(JSON.stringify(error)).not.toContain(secret);
    expect((await me.ok('memory.search', {})).hits).toEqual([]);
  });

  it('are refused in one item of a batch without harm to the others', async () => {
    const me = await bed.agent();
    const { results } = await me.ok('memory.remember', {
      memories: [
        { content: 'harmless', kind: 'fact' },
        { content: github, kind: 'fact' },
      ],
    });
    expect(results).toMatchObject([{ ok: true }, { ok: false, error: { code: 'validation', field: 'memories.1.content' } }]);
  });

  it('are refused in revisions, reasons, notes and lessons', async () => {
    const me = await bed.agent();
    const memory = await me.remember('the deploy key lives in the vault');
    expect(await me.refused('memory.revise', { id: memory.id, content: github })).toMatchObject({ field: 'content' });
    expect(await me.refused('memory.forget', { id: memory.id, reason: github })).toMatchObject({ field: 'reason' });
    const { check_id } = await me.ok('preflight.action', { action: { action_type: 'a.b', summary: 'x' } });
    for (const field of ['note', 'lesson'])
      expect(await me.refused('preflight.report', { check_id, outcome: 'failed', [field]: github })).toMatchObject({ field });
  });

  it('are not seen in ordinary talk about them', async () => {
    const me = await bed.agent();
    for (const content of [
      'Rotate the API token every 90 days.',
      'password: ask Mira',
      'commit 3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376',
      'DATABASE_URL=postgres://localhost/app',
    ])
      await me.remember(content);
  });
});
