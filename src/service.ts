import type { Caller } from './auth/caller.ts';
import type { ErrorBody } from './failure.ts';
import type { Operation } from './operation.ts';

/** How one call of a verb ended. `error.code` decides the wire form; both envelopes only translate. */
export type Outcome =
  | { ok: true; output: Record<string, unknown>; partial: boolean; principalId: string }
  | { ok: false; error: ErrorBody; principalId?: string };

export interface Call {
  /** `req_…`, the same id as in the `X-Request-Id` header. */
  requestId: string;
  /** Proves who is asking; throws Failure `unauthenticated`. */
  identify(): Promise<Caller>;
}

/** The service as the envelopes see it. */
export interface Service {
  readonly operations: readonly Operation[];
  /** @throws Failure `unauthenticated`, or `dependency_unavailable` when the store is down. */
  authenticate(authorization: string | undefined): Promise<Caller>;
  /** Counts one request. @throws Failure `rate_limited` with `details.retry_after_s`, whole seconds ≥ 1. */
  limit(caller: Caller): Promise<void>;
  /** The one path of every verb: authenticate, permit, limit, parse, run, check the output, audit. Never throws. */
  invoke(verb: string, input: unknown, call: Call): Promise<Outcome>;
  /** What works right now, for `/readyz`. */
  readiness(): Promise<{ ready: boolean; database: boolean; model: boolean }>;
}
