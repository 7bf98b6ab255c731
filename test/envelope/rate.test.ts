import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/limits/rate.ts';

test('a key has its own count, and the refusal says how many whole seconds to wait', async () => {
  const limit = createRateLimit({ perMinute: 2 });
  await limit('a');
  await limit('a');
  await limit('b');
  const refusal = await limit('a').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'rate_limited', details: { retry_after_s: expect.any(Number), limit: 2 } });
  const { details } = refusal as { details: { retry_after_s: number } };
  expect(Number.isInteger(details.retry_after_s)).toBe(true);
  expect(details.retry_after_s).toBeGreaterThanOrEqual(1);
  expect(details.retry_after_s).toBeLessThanOrEqual(60);
});
