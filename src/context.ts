import type { Caller } from './auth/caller.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { RankingProfile } from './ranking/profile.ts';
import type { Checks } from './store/checks.ts';
import type { Reader } from './store/reader.ts';
import type { Writer } from './store/writer.ts';

/** What a verb gets to work with, for one call: everything that touches memories is bound to the caller. */
export interface Context {
  caller: Caller;
  requestId: string;
  now: Date;
  reader: Reader;
  /** Shows a write's own result to a caller that may write but not read. */
  ownWrites: Pick<Reader, 'load'>;
  writer: Writer;
  checks: Checks;
  embedder: Embedder;
  profile: RankingProfile;
}
