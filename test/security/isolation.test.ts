import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../src/auth/caller.ts';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, shippedEmbedder, type Testbed } from '../helpers/testbed.ts';
import { createRunner, enrollAll } from './runner.ts';
import { tellStory, twinStory } from './twins.ts';
import { contents, crowd, grants, look, scope, seeds, step } from './world.ts';

/** Runs of each property on each engine, times ISOLATION_RUNS. A failure prints its seed and the smallest run that leads to it. */
const factor = Number(process.env.ISOLATION_RUNS ?? 1);
const runs = { steps: 170 * factor, looks: 800 * factor, twins: 30 * factor };

describeEngines('isolation', (open) => {
  let bed: Testbed;
  let alike: (one: string, other: string) => boolean;
  beforeAll(async () => {
    bed = await createTestbed(await open());
    alike = await likeness();
  });

  it('shows and does for every caller what the oracle says, whatever is asked in whatever order', async () => {
    const story = fc.record({
      // One who reads everything and may do this and that in places, and one of whom nothing is known.
      held: fc.tuple(
        grants.map((more) => [{ scope: '*', can: ['read' as const] }, ...more]),
        grants,
      ),
      seeds,
      checks: fc.array(scope, { minLength: 1, maxLength: 2 }),
      steps: fc.array(step, { minLength: 2, maxLength: 5, size: 'max' }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ held, seeds, checks, steps }) => {
        bed.clock.now = new Date('2026-11-01T12:00:00.000Z');
        const callers = await enrollAll(bed, held);
        const runner = createRunner(bed, alike);
        await runner.seed(callers[0] as Caller, seeds);
        // Checks of the owner's, so that there is something to report on.
        for (const pinned of checks) await runner.run({ do: 'check', who: 0, scope: pinned, type: 'deploy.run' }, callers);
        for (const one of steps) await runner.run(one, callers);
        expect(bed.defects).toEqual([]);
      }),
      { numRuns: runs.steps },
    );
  }, 600_000);

  it('shows in a crowd of all scopes and states what the grants cover, whatever they are', async () => {
    const [owner, stranger] = (await enrollAll(bed, [])) as [Caller, Caller];
    const runner = createRunner(bed, alike);
    const { items, steps } = crowd();
    await runner.seed(owner, items);
    await runner.seed(stranger, items.slice(0, 9));
    for (const one of steps) await runner.run(one, [owner]);
    await fc.assert(
      fc.asyncProperty(grants, grants, look, async (held, inherited, one) => {
        await runner.run(one, [
          { ...owner, grants: held },
          { ...owner, grants: inherited },
        ]);
      }),
      { numRuns: runs.looks },
    );
  }, 600_000);

  it('tells an observer the same, scores included, whether or not anything happens in other scopes and tenants', async () => {
    await fc.assert(
      fc.asyncProperty(twinStory, async (story) => {
        expect(await tellStory(bed, story, true)).toEqual(await tellStory(bed, story, false));
      }),
      { numRuns: runs.twins },
    );
  }, 600_000);
});

/** Which texts the model takes for near-duplicates, asked of the model itself: admission has no part in it. */
async function likeness() {
  const embedder = await shippedEmbedder();
  const vectors = await embedder.embed([...contents], 'passage');
  const of = (text: string) => vectors[(contents as readonly string[]).indexOf(text)] ?? new Float32Array();
  const dot = (one: Float32Array, other: Float32Array) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return (one: string, other: string) => dot(of(one), of(other)) > embedder.manifest.thresholds.duplicate;
}
