/** Numbers that a seed decides, so that two runs of a bench see the same data. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** 0 ≤ n < below, whole */
  below(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** Picks by share; the shares need not sum to 1. */
  weighted<T>(items: readonly (readonly [item: T, share: number])[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for benches. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (below) => Math.floor(next() * below),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    weighted(items) {
      let left = next() * items.reduce((sum, [, share]) => sum + share, 0);
      for (const [item, share] of items) {
        left -= share;
        if (left < 0) return item;
      }
      const last = items.at(-1);
      if (last === undefined) throw new RangeError('nothing to pick from');
      return last[0];
    },
    chance: (probability) => next() < probability,
  };
}
