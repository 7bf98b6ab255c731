import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database, Sql } from './database.ts';
import { StoreRefusal } from './refusal.ts';
import { hasSqlState, SqlError } from './sqlstate.ts';

/** `src/store/` and `dist/store/` lie equally deep below the package. */
export const migrationsDir = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Any number will do, as long as all starters of Kneeboard agree: "kneeboar" in ASCII. */
const lockKey = '6b6e6565626f6172';

interface Migration {
  version: number;
  name: string;
  checksum: string;
  script: string;
}

/**
 * Brings the schema up to date, one transaction a file. Starters at the same moment wait for each other.
 * @throws StoreRefusal when the database is newer than the program or the files do not fit what was applied.
 */
export async function migrate(database: Database, dir: string = migrationsDir): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(dir);
  const applied: string[] = [];
  for (;;) {
    const name = await database.transaction((sql) => applyNext(sql, migrations));
    if (name === undefined) return { applied };
    applied.push(name);
  }
}

/** Applies the first file that the database does not have; answers its name, or undefined when there is none. */
async function applyNext(sql: Sql, migrations: readonly Migration[]): Promise<string | undefined> {
  // Building an index or waiting for another starter may take longer than a statement of a request may.
  await sql.exec(`set local statement_timeout = 0; select pg_advisory_xact_lock(x'${lockKey}'::bigint)`);
  await sql.exec(`create table if not exists migration (
    version int primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  const done = await sql.query<Omit<Migration, 'script'>>('select version, name, checksum from migration order by version');
  compare(done, migrations);
  const next = migrations[done.length];
  if (next === undefined) return undefined;
  // Claimed first: should the lock ever fail to hold another starter off, the primary key still does.
  await sql.query('insert into migration (version, name, checksum) values ($1, $2, $3)', [next.version, next.name, next.checksum]);
  await sql.exec(next.script).catch((error: unknown) => {
    if (!(error instanceof SqlError)) throw error;
    const { message, code } = error;
    if (hasSqlState(error, 'repeatable')) throw error;
    throw new StoreRefusal(`Migration ${next.name} failed and was undone: ${message} (SQLSTATE ${code}).`, { cause: error });
  });
  return next.name;
}

function compare(done: readonly Omit<Migration, 'script'>[], migrations: readonly Migration[]): void {
  const newest = done.at(-1);
  if (newest !== undefined && newest.version > migrations.length) {
    throw new StoreRefusal(
      `The database is at migration ${newest.version} (${newest.name}), but this Kneeboard knows only ${migrations.length}. Start a newer Kneeboard; a database is never taken back.`,
    );
  }
  for (const [index, row] of done.entries()) {
    const file = migrations[index];
    if (file === undefined || row.version !== file.version) {
      throw new StoreRefusal(`The database lacks migration ${index + 1} although it has ${row.version} (${row.name}). Restore it from a backup.`);
    }
    if (row.checksum !== file.checksum) {
      throw new StoreRefusal(
        `Migration ${file.name} was changed after it had been applied to this database. Put the original file back and make the change in a new one.`,
      );
    }
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).sort();
  if (files.length === 0) throw new StoreRefusal(`There are no migrations in ${dir}.`);
  const migrations = await Promise.all(files.map((file) => readMigration(join(dir, file))));
  for (const [index, { version, name }] of migrations.entries()) {
    if (version === index) throw new StoreRefusal(`Two migrations have the number ${version}; the second is ${name}.`);
    if (version !== index + 1) throw new StoreRefusal(`Migration ${index + 1} is missing: ${name} comes in its place.`);
  }
  return migrations;
}

async function readMigration(path: string): Promise<Migration> {
  const name = basename(path);
  const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
  if (number === undefined) throw new StoreRefusal(`The migration ${name} is not named like 0001_name.sql.`);
  // A checkout on Windows may change the line ends, which changes nothing in the schema.
  const script = (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
  return { version: Number(number), name, checksum: createHash('sha256').update(script).digest('hex'), script };
}
