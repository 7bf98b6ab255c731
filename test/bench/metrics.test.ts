import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile } from '../../bench/percentile.ts';
import { createRandom } from '../../bench/random.ts';
import { toMemories, toScopeKey } from '../../bench/ranking/as-memory.ts';
import { interval, isSignificant, pairedDifference } from '../../bench/ranking/bootstrap.ts';
import { auroc, evaluate } from '../../bench/ranking/metrics.ts';
import { scopeKeyPattern } from '../../src/memory/scope.ts';

describe('figures of a ranking', () => {
  it('agree with figures worked out by hand', () => {
    const relevance = new Map([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
    const figures = evaluate(['x', 'a', 'y', 'c', 'z'], relevance);
    expect(figures['R@1']).toBe(0);
    expect(figures['R@5']).toBeCloseTo(2 / 3, 12);
    expect(figures['MRR@10']).toBe(0.5);
    // (2 / log2 3 + 1 / log2 5) / (2 + 1 / log2 3 + 1 / log2 4)
    expect(figures['nDCG@10']).toBeCloseTo(1.692536065 / 3.130929754, 8);
  });

  it('look no deeper than their depth', () => {
    const ranking = [...Array.from({ length: 10 }, (_, at) => `x${at}`), 'a'];
    expect(evaluate(ranking, new Map([['a', 1]]))).toMatchObject({ 'R@10': 0, 'R@20': 1, 'nDCG@10': 0, 'MRR@10': 0 });
  });

  it('are 1 for an ideal ranking and never leave 0 to 1', () => {
    const ids = Array.from({ length: 15 }, (_, at) => `d${at}`);
    fc.assert(
      fc.property(fc.shuffledSubarray(ids), fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: 1, max: 3 }), { minKeys: 1 }), (ranking, grades) => {
        const relevance = new Map(Object.entries(grades));
        for (const value of Object.values(evaluate(ranking, relevance))) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
        const ideal = [...relevance].sort(([, a], [, b]) => b - a).map(([id]) => id);
        expect(evaluate(ideal, relevance)).toMatchObject({ 'MRR@10': 1, 'R@20': 1 });
        expect(evaluate(ideal, relevance)['nDCG@10']).toBeCloseTo(1, 12);
      }),
    );
  });

  it('separate answered from unanswered questions as counting every pair does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }),
        (answered, unanswered) => {
          const won = answered.flatMap((a) => unanswered.map((u) => (a > u ? 1 : a === u ? 0.5 : 0))).reduce<number>((sum, win) => sum + win, 0);
          expect(auroc(answered, unanswered)).toBeCloseTo(won / (answered.length * unanswered.length), 12);
        },
      ),
    );
  });

  it('come with percentiles of the nearest rank', () => {
    const values = [5, 1, 4, 2, 3, 10, 6, 9, 7, 8];
    expect([0, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 5, 10, 10]);
  });
});

describe('resampling', () => {
  it('calls a steady gain significant and noise around 0 not', () => {
    const random = createRandom(3);
    const noise = Array.from({ length: 200 }, () => random.next() - 0.5);
    expect(isSignificant(pairedDifference(noise.map((value) => value * 0.1 + 0.05)))).toBe(true);
    expect(isSignificant(pairedDifference(noise))).toBe(false);
  });

  it('gives the same interval every time, around the mean', () => {
    const values = [0, 1, 1, 0, 1, 1, 1, 0];
    const [low, high] = interval(values);
    expect(interval(values)).toEqual([low, high]);
    expect(low).toBeLessThan(0.625);
    expect(high).toBeGreaterThan(0.625);
  });
});

describe('documents of a set become memories', () => {
  const document = { id: 'd', text: 'text', scope: undefined, kind: undefined, tags: [], date: undefined };

  it('in scopes that keep every two names apart', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ minLength: 1, maxLength: 20 }), (one, other) => {
        expect(toScopeKey(one)).toMatch(scopeKeyPattern);
        if (one !== other) expect(toScopeKey(one)).not.toBe(toScopeKey(other));
      }),
    );
    expect(toScopeKey('repo:acme/api')).toBe('repo:acme/api');
  });

  it.each([
    ['2023-05-08T13:56:00', '2023-05-08T13:56:00Z'],
    ['2025-06-12T09:15:00Z', '2025-06-12T09:15:00Z'],
    ['2025-10-06', '2025-10-06T00:00:00Z'],
    ['2023/07/12 (Wed) 10:14', '2023-07-12T10:14:00Z'],
    ['March-5-2024', '2024-03-05T00:00:00Z'],
    ['some day', undefined],
  ])('that happened on %s', (date, occurredAt) => {
    expect(toMemories({ ...document, date })[0]?.occurred_at).toBe(occurredAt);
  });

  it('of which none is longer than a memory may be and nothing is lost', () => {
    const text = 'a'.repeat(70_000);
    const memories = toMemories({ ...document, text });
    expect(memories.map(({ content }) => content.length)).toEqual([32_000, 32_000, 6_000]);
    expect(memories.map(({ content }) => content).join('')).toBe(text);
  });
});
