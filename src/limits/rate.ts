import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Failure } from '../failure.ts';

/** Counts one request for a key. @throws Failure `rate_limited` with `details.retry_after_s`, whole seconds ≥ 1. */
export function createRateLimit({ perMinute }: { perMinute: number }): (key: string) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (key) => {
    try {
      await limiter.consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new Failure('rate_limited', `More than ${perMinute} requests within a minute. Try again in ${seconds} s.`, {
        details: { retry_after_s: seconds, limit: perMinute },
      });
    }
  };
}
