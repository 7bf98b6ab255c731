import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../src/ranking/profile.ts';
import { type Candidate, type Place, rank } from '../../src/ranking/rank.ts';

const now = new Date('2026-01-01T00:00:00Z');
const occurredAt = new Date('2025-12-01T10:00:00Z');
const place = (position: number, change: Partial<Place> = {}): Place => ({ timeline: 7, position, occurredAt, length: 20, ...change });

const base: Candidate = { id: 'a', similarity: 0.1, bm25: 1, reachable: 20, terms: [], kind: 'note', at: occurredAt };
const question: Candidate = { ...base, id: 'question', similarity: 0.5, bm25: 15, place: place(10) };

function contextOf(answer: Candidate): number | undefined {
  return rank([question, answer], defaultProfile, now).find(({ candidate }) => candidate.id === answer.id)?.breakdown.context.contribution;
}

describe('rank', () => {
  it('puts the best first and equals in the order of their ids', () => {
    const ranked = rank([{ ...base, id: 'c' }, { ...base, id: 'b' }, question], defaultProfile, now);
    expect(ranked.map(({ candidate }) => candidate.id)).toEqual(['question', 'b', 'c']);
  });

  it('lifts the turn that follows a matching one above an equal turn elsewhere', () => {
    const ranked = rank([{ ...base, id: 'elsewhere', place: place(90) }, { ...base, id: 'next', place: place(11) }, question], defaultProfile, now);
    expect(ranked.map(({ candidate }) => candidate.id)).toEqual(['question', 'next', 'elsewhere']);
  });

  it('never lifts a neighbour above what it borrows from', () => {
    const [first] = rank([{ ...question, id: 'next', similarity: 0.49, place: place(11) }, question], defaultProfile, now);
    expect(first?.candidate.id).toBe('question');
  });

  it('lends less over a distance and nothing beyond reach', () => {
    const near = contextOf({ ...base, place: place(11) }) ?? 0;
    const far = contextOf({ ...base, place: place(13) }) ?? 0;
    expect(near).toBeGreaterThan(far);
    expect(far).toBeGreaterThan(0);
    expect(contextOf({ ...base, place: place(14) })).toBe(0);
  });

  it('lends a long memory less than a short one', () => {
    expect(contextOf({ ...base, place: place(11, { length: 400 }) })).toBeLessThan((contextOf({ ...base, place: place(11) }) ?? 0) / 5);
  });

  it.each([
    ['another scope', { timeline: 8 }],
    ['another occasion', { occurredAt: new Date('2025-12-02T10:00:00Z') }],
  ])('lends nothing to %s', (_, change) => {
    expect(contextOf({ ...base, place: place(11, change) })).toBe(0);
  });

  it('lends nothing to a memory that does not say when it happened', () => {
    expect(contextOf({ ...base, place: undefined })).toBe(0);
  });

  it('scores every candidate with the sum of its contributions, within 0..1, whatever stands around it', () => {
    const candidate = fc.record({
      id: fc.uuid(),
      similarity: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
      bm25: fc.double({ min: 0, max: 100, noNaN: true }),
      reachable: fc.double({ min: 0, max: 100, noNaN: true }),
      terms: fc.constant([]),
      kind: fc.constantFrom('policy', 'lesson', 'note'),
      at: fc.constant(occurredAt),
      place: fc.option(
        fc.record({
          timeline: fc.integer({ min: 0, max: 2 }),
          position: fc.integer({ min: 0, max: 9 }),
          occurredAt: fc.constant(occurredAt),
          length: fc.nat(),
        }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(fc.array(candidate), (candidates) => {
        const ranked = rank(candidates, defaultProfile, now);
        expect(ranked).toHaveLength(candidates.length);
        for (const { score, breakdown } of ranked) {
          const sum = Object.values(breakdown).reduce((total, { contribution }) => total + contribution, 0);
          expect(Math.abs(sum - score)).toBeLessThan(1e-9);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});
