import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Features, fuse } from '../../src/ranking/fuse.ts';
import { defaultProfile } from '../../src/ranking/profile.ts';

const now = new Date('2026-01-01T00:00:00Z');
const base: Features = {
  similarity: 0.3,
  bm25: 8,
  reachable: 20,
  terms: [{ term: 'pool', tf: 2 }],
  kind: 'fact',
  at: new Date('2025-12-01T00:00:00Z'),
};
const score = (change: Partial<Features>) => fuse({ ...base, ...change }, defaultProfile, now).score;

const anyFeatures: fc.Arbitrary<Features> = fc.record({
  similarity: fc.option(fc.double({ min: -1.5, max: 1.5, noNaN: true })),
  bm25: fc.double({ min: 0, max: 1e6, noNaN: true }),
  reachable: fc.double({ min: 0, max: 1e6, noNaN: true }),
  terms: fc.constant([]),
  kind: fc.constantFrom('policy', 'lesson', 'decision', 'fact', 'preference', 'procedure', 'event', 'note', 'unknown', 'constructor'),
  at: fc.date({ noInvalidDate: true }),
});

describe('fuse', () => {
  it('the contributions sum to the score, each is weight times normalized, and all stay within 0..1', () => {
    fc.assert(
      fc.property(anyFeatures, (features) => {
        const { score, breakdown } = fuse(features, defaultProfile, now);
        const parts = Object.values(breakdown);
        expect(parts.reduce((sum, part) => sum + part.contribution, 0)).toBeCloseTo(score, 12);
        for (const part of parts) {
          expect(part.contribution).toBeCloseTo(part.weight * part.normalized, 12);
          expect(part.normalized).toBeGreaterThanOrEqual(0);
          expect(part.normalized).toBeLessThanOrEqual(1);
        }
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('of two equally relevant hits a policy stands above a lesson, however new the lesson', () => {
    const policy = score({ kind: 'policy', at: new Date('2000-01-01') });
    expect(policy).toBeGreaterThan(score({ kind: 'lesson', at: now }));
  });

  it('the newest memory never overtakes a clearly more relevant old one', () => {
    const relevant = score({ similarity: 0.4, bm25: 12, at: new Date('2000-01-01') });
    expect(relevant).toBeGreaterThan(score({ similarity: 0.2, bm25: 4, at: now }));
  });

  it('a memory without a vector keeps its other parts', () => {
    const { breakdown } = fuse({ ...base, similarity: null }, defaultProfile, now);
    expect(breakdown.vector).toMatchObject({ similarity: null, normalized: 0, contribution: 0, weight: defaultProfile.weights.vector });
    expect(breakdown.text.contribution).toBeGreaterThan(0);
  });

  it('more of a feature never lowers the score', () => {
    expect(score({ similarity: 0.5 })).toBeGreaterThan(score({}));
    expect(score({ bm25: 9 })).toBeGreaterThan(score({}));
    expect(score({ at: now })).toBeGreaterThan(score({}));
  });

  it('a memory dated in the future counts as of today', () => {
    const { breakdown } = fuse({ ...base, at: new Date('2027-01-01') }, defaultProfile, now);
    expect(breakdown.recency).toMatchObject({ age_days: 0, normalized: 1 });
  });

  it('a memory that says all that is asked has the whole text contribution', () => {
    expect(fuse({ ...base, bm25: 20 }, defaultProfile, now).breakdown.text.normalized).toBe(1);
  });

  it('a long and a short query of which the same share is met score the same', () => {
    expect(score({ bm25: 40, reachable: 100 })).toBeCloseTo(score({ bm25: 4, reachable: 10 }), 12);
  });

  it('nothing relevant scores near nothing', () => {
    expect(score({ similarity: 0, bm25: 0 })).toBeLessThan(0.1);
  });
});

describe('the default profile', () => {
  it('has weights that sum to one', () => {
    const sum = Object.values(defaultProfile.weights).reduce((total, weight) => total + weight, 0);
    expect(sum).toBeCloseTo(1, 12);
  });
});
