import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Failure } from '../failure.ts';

/** Slows down whoever tries credentials: so many failures a minute and address, then nothing unproven is looked at. */
export interface GuessLimit {
  /** Before a credential is looked at. @throws Failure `rate_limited` with `details.retry_after_s`, whole seconds ≥ 1. */
  admit(address: string | undefined, credential: string): Promise<void>;
  failed(address: string | undefined, credential: string): Promise<void>;
  proven(credential: string): void;
}

/** Credentials remembered as good, the latest ones. */
const mostProven = 10_000;
const provenForMs = 3_600_000;

/**
 * Callers that share an address with a guesser are not held back: a credential that proved good within the hour is always looked at.
 * Being remembered proves nothing by itself, so a revoked credential fails at once. Failures count when they are known, so the first
 * burst may hold as many guesses as there are requests in flight.
 */
export function createGuessLimit({ perMinute, now = Date.now }: { perMinute: number; now?: () => number }): GuessLimit {
  const limiter = new RateLimiterMemory({ points: Math.min(perMinute, Number.MAX_SAFE_INTEGER), duration: 60 });
  const good = new Map<string, number>();
  return {
    async admit(address, credential) {
      const seenAt = good.get(digest(credential));
      if (seenAt !== undefined && now() - seenAt < provenForMs) return;
      const failures = await limiter.get(networkOf(address));
      if (failures === null || failures.consumedPoints < perMinute) return;
      const seconds = Math.max(1, Math.ceil(failures.msBeforeNext / 1000));
      throw new Failure('rate_limited', `${perMinute} requests from this address had no good credential within a minute. Try again in ${seconds} s.`, {
        details: { retry_after_s: seconds, limit: perMinute },
      });
    },
    async failed(address, credential) {
      good.delete(digest(credential));
      await limiter.penalty(networkOf(address));
    },
    proven(credential) {
      const key = digest(credential);
      // Set anew, so that the map's order is that of last use.
      good.delete(key);
      good.set(key, now());
      const [oldest] = good.keys();
      if (good.size > mostProven && oldest !== undefined) good.delete(oldest);
    },
  };
}

/** What one party is given at least: an IPv4 address, or an IPv6 network of 64 bits (RFC 6177), within which addresses cost nothing. */
export function networkOf(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain) || !isIPv6(plain)) return plain || 'unknown';
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const whole = tail === undefined ? groups : [...groups, ...Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0'), ...after];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function digest(credential: string): string {
  return createHash('sha256').update(credential, 'utf8').digest('base64');
}
