import { expect, it } from 'vitest';
import { queryHead } from '../../src/ranking/query-head.ts';

it('a short query is embedded as it is', () => {
  expect(queryHead('Why does the pool close?', 48)).toBe('Why does the pool close?');
});

it('of a long query only the first words are embedded', () => {
  expect(queryHead('TypeError: pool is closed\n  at src/db/pool.ts:12', 4)).toBe('TypeError: pool is closed');
});

it('a query without words stays what it is', () => {
  expect(queryHead('…!?', 48)).toBe('…!?');
});
