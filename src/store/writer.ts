import type { Changes, Draft, Stamp } from './draft.ts';
import type { Database } from './engine/database.ts';
import { type Forgotten, forget } from './forget.ts';
import { type Remembered, remember } from './remember.ts';
import { type Revised, revise } from './revise.ts';

/** Writes on behalf of one caller; refuses what the caller's grants do not cover. */
export interface Writer {
  /** In the order of the drafts. Drafts of the same content share one memory. */
  remember(drafts: readonly Draft[]): Promise<Remembered[]>;
  revise(id: string, changes: Changes, options: { expectedRevision: number | undefined; reason: string | undefined }): Promise<Revised>;
  forget(id: string, options: { reason: string | undefined; erase: boolean }): Promise<Forgotten>;
}

export function createWriter(database: Database, stamp: Stamp): Writer {
  return {
    remember: (drafts) => remember(database, stamp, drafts),
    revise: (id, changes, options) => revise(database, stamp, id, changes, options),
    forget: (id, options) => forget(database, stamp, id, options),
  };
}
