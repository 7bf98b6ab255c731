import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** An empty place for a bench's data, on one of the engines; gone when disposed. */
export interface TemporaryStore extends AsyncDisposable {
  engine: 'pglite' | 'postgres';
  databaseUrl: string | undefined;
  dataDir: string;
}

/** A database of its own on a Postgres server, or a folder of its own for PGlite. */
export async function temporaryStore(serverUrl: string | undefined): Promise<TemporaryStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kneeboard-bench-'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  if (serverUrl === undefined) return { engine: 'pglite', databaseUrl: undefined, dataDir, [Symbol.asyncDispose]: removeFolder };

  const name = `kneeboard_bench_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    engine: 'postgres',
    databaseUrl: url.href,
    dataDir,
    async [Symbol.asyncDispose]() {
      await onServer(serverUrl, `drop database if exists ${name} with (force)`);
      await removeFolder();
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
