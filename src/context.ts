import type { Caller } from './auth/caller.ts';

/** What a verb gets to work with, for one call. */
export interface Context {
  caller: Caller;
  requestId: string;
  now: Date;
}
