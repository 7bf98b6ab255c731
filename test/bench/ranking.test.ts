import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCollections } from '../../bench/ranking/dataset.ts';
import { measure } from '../../bench/ranking/measure.ts';
import type { SetReport } from '../../bench/ranking/report.ts';
import { defaultProfile } from '../../src/ranking/profile.ts';

/** Floors lie a little below what was reached, so that a change which costs quality is noticed and noise is not. */
const floors = { found: 220, mean: 0.565, overBm25: 0.05, identifiers: 0.95 };

describe('search on the set that comes with the project', () => {
  let set: SetReport;
  beforeAll(async () => {
    const { report } = await measure(loadCollections(fileURLToPath(new URL('../../bench/data/team', import.meta.url))), {
      legs: ['hybrid'],
      profile: defaultProfile,
      given: new Map(),
    });
    set = report.sets.team as SetReport;
  }, 120_000);

  it('accepts every memory', () => {
    expect([set.memories, set.refused]).toEqual([212, 0]);
  });

  it(`finds an answer among the first ten hits for ${floors.found} of 306 questions or more`, () => {
    const found = set.queries['R@10'].hybrid?.filter((recall) => recall > 0).length ?? 0;
    expect(set.queries.ids.length).toBe(306);
    expect(found, `${found}/306`).toBeGreaterThanOrEqual(floors.found);
  });

  it(`has a mean nDCG@10 of ${floors.mean} or more, and ${floors.overBm25} more than plain BM25`, () => {
    const own = set.hybrid?.['nDCG@10'] ?? 0;
    expect(own).toBeGreaterThanOrEqual(floors.mean);
    expect(own - (set.baseline?.['nDCG@10'] ?? 0)).toBeGreaterThanOrEqual(floors.overBm25);
  });

  it(`has a mean nDCG@10 of ${floors.identifiers} or more where a question names an identifier`, () => {
    expect(set.categories.identifier?.hybrid).toMatchObject({ n: 44 });
    expect(set.categories.identifier?.hybrid?.['nDCG@10']).toBeGreaterThanOrEqual(floors.identifiers);
  });
});
