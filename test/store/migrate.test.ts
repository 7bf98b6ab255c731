import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { migrate, migrationsDir } from '../../src/store/migrate.ts';
import { startChild } from '../helpers/child.ts';
import { describeEngines, engines } from '../helpers/databases.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kneeboard-migrations-'));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, script] of Object.entries(files)) await writeFile(join(dir, name), script);
}

const two = {
  '0001_first.sql': 'create table first (n int);\ninsert into first values (1);\n',
  '0002_second.sql': '-- the second\ncreate table second (n int);\n',
};

describeEngines(
  'migrate',
  (open) => {
    let database: Database;

    beforeAll(async () => {
      database = await open();
    }, 60_000);

    beforeEach(() => database.exec('drop schema public cascade; create schema public'));

    const tables = async () =>
      (await database.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public' order by 1")).map(({ name }) => name);

    test('applies the files in order, once, and says which', async () => {
      await write(two);
      await writeFile(join(dir, 'README.md'), 'not a migration');
      expect(await migrate(database, dir)).toEqual({ applied: ['0001_first.sql', '0002_second.sql'] });
      expect(await migrate(database, dir)).toEqual({ applied: [] });
      await write({ '0003_third.sql': 'insert into first select n + 1 from first;' });
      expect(await migrate(database, dir)).toEqual({ applied: ['0003_third.sql'] });
      expect(await database.query('select n from first order by n')).toEqual([{ n: 1 }, { n: 2 }]);
      const rows = await database.query<{ version: number; applied_at: Date }>('select version, name, applied_at from migration order by version');
      expect(rows.map(({ version }) => version)).toEqual([1, 2, 3]);
      expect(Math.abs(Number(rows[0]?.applied_at) - Date.now())).toBeLessThan(600_000);
    });

    test('leaves nothing of a file that fails, and keeps the files before it', async () => {
      await write({ ...two, '0002_second.sql': 'create table second (n int); select 1 / 0;' });
      await expect(migrate(database, dir)).rejects.toMatchObject({
        name: 'StoreRefusal',
        message: 'Migration 0002_second.sql failed and was undone: division by zero (SQLSTATE 22012).',
      });
      expect(await tables()).toEqual(['first', 'migration']);
      await write(two);
      expect(await migrate(database, dir)).toEqual({ applied: ['0002_second.sql'] });
    });

    test('refuses a database that is newer than the program', async () => {
      await write(two);
      await migrate(database, dir);
      await rm(join(dir, '0002_second.sql'));
      await expect(migrate(database, dir)).rejects.toMatchObject({
        name: 'StoreRefusal',
        message: 'The database is at migration 2 (0002_second.sql), but this Kneeboard knows only 1. Start a newer Kneeboard; a database is never taken back.',
      });
    });

    test('refuses a file that was changed after it was applied', async () => {
      await write(two);
      await migrate(database, dir);
      await appendFile(join(dir, '0001_first.sql'), '-- a harmless remark');
      await expect(migrate(database, dir)).rejects.toThrow('Migration 0001_first.sql was changed after it had been applied to this database.');
    });

    test('takes a file with other line ends for the same', async () => {
      await write(two);
      await migrate(database, dir);
      await write({ '0001_first.sql': two['0001_first.sql'].replaceAll('\n', '\r\n') });
      expect(await migrate(database, dir)).toEqual({ applied: [] });
    });

    test('refuses a database that lacks an earlier migration', async () => {
      await write(two);
      await migrate(database, dir);
      await database.exec('delete from migration where version = 1');
      await expect(migrate(database, dir)).rejects.toThrow('The database lacks migration 1 although it has 2 (0002_second.sql).');
    });

    test('applies each file once when eight callers start together', async () => {
      await write(two);
      const results = await Promise.all(Array.from({ length: 8 }, () => migrate(database, dir)));
      expect(results.flatMap(({ applied }) => applied).sort()).toEqual(Object.keys(two));
      expect(await database.query('select n from first')).toEqual([{ n: 1 }]);
    });
  },
  { migrated: false },
);

describe('the migration files', () => {
  const nowhere = { transaction: () => Promise.reject(new Error('the database was asked')) } as unknown as Database;

  test.each([
    ['a gap', { '0001_a.sql': '', '0003_c.sql': '' }, 'Migration 2 is missing: 0003_c.sql comes in its place.'],
    ['a late start', { '0002_b.sql': '' }, 'Migration 1 is missing: 0002_b.sql comes in its place.'],
    ['a number twice', { '0001_a.sql': '', '0001_b.sql': '' }, 'Two migrations have the number 1; the second is 0001_b.sql.'],
    ['another name', { '0001-a.sql': '' }, 'The migration 0001-a.sql is not named like 0001_name.sql.'],
    ['none', {}, 'There are no migrations in '],
  ])('are refused for %s before the database is asked', async (_fault, files, message) => {
    await write(files as Record<string, string>);
    await expect(migrate(nowhere, dir)).rejects.toThrow(message);
  });

  test('of the package are found', async () => {
    expect((await readdir(migrationsDir)).sort()[0]).toMatch(/^0001_.*\.sql$/);
  });
});

const postgres = engines.find(({ name }) => name === 'postgres');

describe('migrate', () => {
  test.skipIf(postgres?.missing !== undefined)('applies each file once when four processes start together on Postgres', { timeout: 60_000 }, async () => {
    await write({ ...two, '0003_slow.sql': 'select pg_sleep(0.3); insert into first values (3);' });
    const created = await postgres?.create(false);
    const children = Array.from({ length: 4 }, () => startChild('migrate-child.ts', [created?.url ?? '', dir]));
    const answers = await Promise.all(children.map((child) => child.nextLine()));
    expect(answers.flatMap((answer) => JSON.parse(answer) as string[]).sort()).toEqual(['0001_first.sql', '0002_second.sql', '0003_slow.sql']);
    expect(await created?.database.query('select n from first order by n')).toEqual([{ n: 1 }, { n: 3 }]);
    await created?.dispose();
  });
});
