import type { Caller } from '../auth/caller.ts';
import type { Kind, Rule, Source } from '../memory/memory.ts';

/** A memory ready to be stored: checked, identified, analyzed and, when the embedder answered, embedded. */
export interface Draft {
  id: string;
  content: string;
  kind: Kind;
  scopeKey: string | null;
  tags: readonly string[];
  source?: Source | undefined;
  rule?: Rule | undefined;
  occurredAt?: Date | undefined;
  expiresAt?: Date | undefined;
  flags: readonly string[];
  checkId?: string | undefined;
  terms: ReadonlyMap<string, number>;
  length: number;
  /** Undefined: to be filled in later. */
  vector: Float32Array | undefined;
}

/** Fields of a revision; undefined leaves a field as it is, null clears it. */
export interface Changes {
  /** The new content, where it changes; what else the new memory has comes from the old one. */
  content?: Pick<Draft, 'id' | 'content' | 'flags' | 'terms' | 'length' | 'vector'> | undefined;
  kind?: Kind | undefined;
  tags?: readonly string[] | undefined;
  /** Of the memory as the other fields leave it; new content brings its own. */
  flags: readonly string[];
  rule?: Rule | null | undefined;
  expiresAt?: Date | null | undefined;
}

/** One write: who, when, under which request. */
export interface Stamp {
  caller: Caller;
  now: Date;
  requestId: string;
  /** The terms that a text is indexed under. */
  termsOf(content: string, occurredAt: Date | undefined): Iterable<string>;
}
