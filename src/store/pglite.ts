import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Database } from './database.ts';
import { lockFolder } from './lock.ts';
import { type PgliteThread, startThread } from './pglite-thread.ts';
import { StoreRefusal } from './refusal.ts';
import { databaseOver, type Session } from './session.ts';
import { syncTree } from './sync-tree.ts';
import { TurnQueue } from './turn-queue.ts';
import { encodeValues } from './values.ts';

export interface PgliteOptions {
  /** Folder that holds the database, made when missing; `memory://` keeps nothing. */
  dataDir: string;
  /** A `dump` to start from. Only in memory. */
  template?: Uint8Array;
}

export interface PgliteDatabase extends Database {
  /** The whole database as a tar file, to be a `template`. */
  dump(): Promise<Uint8Array>;
}

/**
 * Opens the embedded database in a worker thread. One statement at a time, and a transaction has it for itself.
 * @throws StoreRefusal when another process has the folder, or the folder cannot be used.
 */
export async function openPglite({ dataDir, template }: PgliteOptions): Promise<PgliteDatabase> {
  if (dataDir === 'memory://') return serve(await startThread({ clusterDir: undefined, template }), () => undefined);
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StoreRefusal(`The data folder ${folder} cannot be made: ${error.message}.`);
  });
  const lock = await lockFolder(folder);
  try {
    const thread = await startInFolder(folder);
    lock.onLost(() => thread.kill('Another process took over the data folder; the embedded database stopped.'));
    return serve(thread, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A start that was cut short leaves a cluster that looks whole; the mark tells, and nothing was stored in it yet. */
async function startInFolder(folder: string): Promise<PgliteThread> {
  const clusterDir = join(folder, 'pglite');
  const mark = join(folder, 'pglite.unfinished');
  const isNew = existsSync(mark) || !existsSync(join(clusterDir, 'PG_VERSION'));
  if (isNew) {
    await writeFile(mark, 'The database beside this file was not finished and will be made anew.\n');
    await rm(clusterDir, { recursive: true, force: true });
    await mkdir(clusterDir, { mode: 0o700 });
  }
  const thread = await startThread({ clusterDir, template: undefined }).catch((error: Error) => {
    throw new StoreRefusal(`The embedded database in ${folder} cannot be opened: ${error.message}`, { cause: error });
  });
  if (isNew) {
    await syncTree(clusterDir);
    await rm(mark);
  }
  return thread;
}

function serve(thread: PgliteThread, release: () => void): PgliteDatabase {
  const turns = new TurnQueue();
  const session: Session = {
    get broken() {
      return thread.isGone();
    },
    query: async (text, values) => (await thread.call({ kind: 'query', text, values: encodeValues(values) })) as unknown[],
    exec: async (script) => (await thread.call({ kind: 'exec', script })) as string,
    release: () => turns.leave(),
  };
  const database = databaseOver({
    engine: 'pglite',
    begin: 'begin',
    async acquire() {
      await turns.enter();
      return session;
    },
    async close() {
      try {
        if (!thread.isGone()) await thread.call({ kind: 'close' });
        await thread.ended;
      } finally {
        release();
      }
    },
  });
  return {
    ...database,
    async dump() {
      await turns.enter();
      try {
        return (await thread.call({ kind: 'dump' })) as Uint8Array;
      } finally {
        turns.leave();
      }
    },
  };
}
