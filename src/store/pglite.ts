import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Database } from './database.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { type PgliteThread, startThread } from './pglite-thread.ts';
import { StoreRefusal } from './refusal.ts';
import { databaseOver, type Session } from './session.ts';
import { unavailable } from './sqlstate.ts';
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

/** A statement of PGlite cannot be interrupted, so whoever has waited this long for a turn is turned away instead. */
const turnTimeoutMs = 15_000;

/**
 * Opens the embedded database in a worker thread. One statement at a time, and a transaction has it for itself.
 * @throws StoreRefusal when another process has the folder, or the folder cannot be used.
 */
export async function openPglite({ dataDir, template }: PgliteOptions): Promise<PgliteDatabase> {
  if (dataDir === 'memory://') return serve(await startThread({ clusterDir: undefined, template }));
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StoreRefusal(`The data folder ${folder} cannot be made: ${error.message}.`);
  });
  const lock = await lockFolder(folder);
  try {
    return serve(await startInFolder(folder), { lock, restart: () => startInFolder(folder) });
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

interface Folder {
  lock: FolderLock;
  restart(): Promise<PgliteThread>;
}

function serve(firstThread: PgliteThread, folder?: Folder): PgliteDatabase {
  const turns = new TurnQueue(turnTimeoutMs);
  let thread = firstThread;
  let lost = false;
  folder?.lock.onLost(() => {
    lost = true;
    thread.kill('Another process took over the data folder, so the embedded database stopped.');
  });

  /** What was acknowledged is in the folder, so a thread that broke is replaced. What was in memory went with it. */
  async function revive(): Promise<PgliteThread> {
    if (!thread.isGone() || folder === undefined || lost) return thread;
    await thread.ended;
    thread = await folder.restart().catch((error: unknown) => {
      throw unavailable('The embedded database stopped and does not start again.', error);
    });
    return thread;
  }

  async function acquire(): Promise<Session> {
    await turns.enter();
    try {
      const { call, isGone } = await revive();
      return {
        get broken() {
          return isGone();
        },
        query: async (text, values) => (await call({ kind: 'query', text, values: encodeValues(values) })) as unknown[],
        exec: async (script) => (await call({ kind: 'exec', script })) as string,
        release: () => turns.leave(),
      };
    } catch (error) {
      turns.leave();
      throw error;
    }
  }

  async function close(): Promise<void> {
    try {
      if (!thread.isGone()) await thread.call({ kind: 'close' });
      await thread.ended;
    } finally {
      folder?.lock.release();
    }
  }

  return {
    ...databaseOver({ engine: 'pglite', begin: 'begin', acquire, close }),
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
