// Migrated databases for tests, on each engine, quick to have: copies of a template that is made once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { migrate, migrationsDir } from '../../src/store/migrate.ts';
import { openPglite } from '../../src/store/pglite.ts';
import { openPostgres } from '../../src/store/postgres.ts';

const serverUrl = process.env['KNEEBOARD_TEST_DATABASE_URL'];

export interface TestEngine {
  name: Database['engine'];
  /** Why its tests do not run here. */
  missing: string | undefined;
  /** A fresh database. `dispose` closes and drops it. */
  create(migrated: boolean): Promise<TestDatabase>;
}

export interface TestDatabase {
  database: Database;
  /** Of the Postgres database; undefined in memory. */
  url: string | undefined;
  dispose(): Promise<void>;
}

export const engines: readonly TestEngine[] = [
  { name: 'pglite', missing: undefined, create: createInMemory },
  {
    name: 'postgres',
    missing: serverUrl ? undefined : 'KNEEBOARD_TEST_DATABASE_URL is not set',
    create: (migrated) => createOnServer(serverUrl ?? '', migrated),
  },
];

export interface DescribeOptions {
  /** false leaves the database without a schema. */
  migrated?: boolean;
}

/**
 * Describes the same facts once for each engine. Every `open()` gives a fresh, migrated database, which is closed
 * and dropped after the last test of the block; a test may close it earlier.
 */
export function describeEngines(
  title: string,
  body: (open: () => Promise<Database>, engine: TestEngine) => void,
  { migrated = true }: DescribeOptions = {},
): void {
  for (const engine of engines) {
    const suffix = engine.missing === undefined ? '' : ` (skipped: ${engine.missing})`;
    describe.skipIf(engine.missing !== undefined)(`${title}, on ${engine.name}${suffix}`, () => {
      const opened: TestDatabase[] = [];
      afterAll(async () => {
        await Promise.all(opened.map(({ dispose }) => dispose()));
      });
      body(async () => {
        const created = await engine.create(migrated);
        opened.push(created);
        return created.database;
      }, engine);
    });
  }
}

/** Names the schema, so that a changed migration makes a new template. */
function schemaKey(migrated: boolean): string {
  const hash = createHash('sha256');
  if (migrated) for (const file of readdirSync(migrationsDir).sort()) hash.update(file).update(readFileSync(join(migrationsDir, file)));
  return hash.digest('hex').slice(0, 12);
}

async function createInMemory(migrated: boolean): Promise<TestDatabase> {
  const database = await openPglite({ dataDir: 'memory://', template: await readTemplate(migrated) });
  return { database, url: undefined, dispose: () => database.close() };
}

/** Loading a dump takes a quarter of the time that making a database takes. */
async function readTemplate(migrated: boolean): Promise<Uint8Array> {
  const version = createHash('sha256')
    .update(readFileSync(new URL('../../package-lock.json', import.meta.url)))
    .digest('hex')
    .slice(0, 8);
  const folder = join(tmpdir(), 'kneeboard-test-templates');
  const path = join(folder, `${version}-${schemaKey(migrated)}.tar`);
  if (existsSync(path)) return readFile(path);
  const database = await openPglite({ dataDir: 'memory://' });
  try {
    if (migrated) await migrate(database);
    const dump = await database.dump();
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, dump);
    await rename(draft, path);
    return dump;
  } finally {
    await database.close();
  }
}

async function createOnServer(server: string, migrated: boolean): Promise<TestDatabase> {
  const name = `kneeboard_test_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  const template = migrated ? await ensureTemplate(server) : 'template1';
  await onServer(server, (client) => client.query(`create database ${name} template ${template}`));
  const url = urlOf(server, name);
  const database = await openPostgres(url);
  return {
    database,
    url,
    async dispose() {
      await database.close();
      await onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Makes the migrated template database once; test files that start at the same moment wait for the first. */
async function ensureTemplate(server: string): Promise<string> {
  const name = `kneeboard_template_${schemaKey(true)}`;
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rows.length > 0) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft}`);
    const database = await openPostgres(urlOf(server, draft));
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

async function onServer<T>(server: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
