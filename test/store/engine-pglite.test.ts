import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { TurnQueue } from '../../src/store/turn-queue.ts';
import { type Child, startChild } from '../helpers/child.ts';
import { engines } from '../helpers/databases.ts';

// PGlite takes seconds to make a database, and all the more on a busy machine.
const patience = { timeout: 120_000 };

/** What PGlite cannot survive: a read of a device that is not there throws through the whole of Postgres. */
const trap = "copy row from '/dev/blob'";

let root: string;
let folder: string;
let databases: Database[];
let children: Child[];

async function open(dataDir = folder): Promise<Database> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir });
  databases.push(database);
  return database;
}

describe('a data folder', () => {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'kneeboard-engine-'));
    databases = [];
    const database = await open(join(root, 'made', 'seed'));
    await database.exec('create table row (n int)');
    await database.close();
  }, patience.timeout);

  beforeEach(async () => {
    databases = [];
    children = [];
    folder = join(await mkdtemp(join(root, 'test-')), 'data');
    await cp(join(root, 'made', 'seed'), folder, { recursive: true });
  });

  afterEach(async () => {
    for (const child of children) child.process.kill('SIGKILL');
    await Promise.all(databases.map((database) => database.close()));
  });

  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
  });

  test('keeps its rows over a restart and leaves no lock behind', patience, async () => {
    const first = await open();
    await first.query('insert into row values (1)');
    await first.close();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    expect(await (await open()).query('select n from row')).toEqual([{ n: 1 }]);
  });

  test('loses none of 200 acknowledged writes to kill -9', patience, async () => {
    const child = startChild('pglite-child.ts', [folder, '1000000']);
    children.push(child);
    expect(await child.nextLine()).toBe('open');
    let acknowledged = 0;
    while (acknowledged < 200) acknowledged = Number(await child.nextLine());
    child.process.kill('SIGKILL');
    const rows = await (await open()).query<{ n: number }>('select n from row order by n');
    expect(rows.length).toBeGreaterThanOrEqual(acknowledged);
    expect(rows.map(({ n }) => n)).toEqual(rows.map((_, index) => index + 1));
  });

  test('syncs its log to the disk with every commit', patience, async () => {
    const database = await open();
    // Counted by Postgres for its own calls; the first question only makes the count current.
    const countSyncs = async () => {
      await database.query('select pg_stat_force_next_flush()');
      return (await database.query<{ n: number }>("select sum(fsyncs) as n from pg_stat_io where object = 'wal'"))[0]?.n ?? 0;
    };
    const before = await countSyncs();
    for (let n = 0; n < 10; n += 1) await database.query('insert into row values ($1)', [n]);
    expect((await countSyncs()) - before).toBeGreaterThanOrEqual(10);
    expect(
      await database.query("select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'wal_sync_method') order by name"),
    ).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'wal_sync_method', setting: 'fsync' },
    ]);
  });

  test('whose first start was cut short is begun anew', patience, async () => {
    await rm(join(folder, 'pglite', 'global'), { recursive: true });
    writeFileSync(join(folder, 'pglite.unfinished'), '');
    const database = await open();
    await expect(database.query('select n from row')).rejects.toMatchObject({ code: '42P01' });
    expect(existsSync(join(folder, 'pglite.unfinished'))).toBe(false);
  });

  test('that cannot be used is refused in a sentence with its path, and not kept locked', patience, async () => {
    writeFileSync(join(folder, 'pglite', 'PG_VERSION'), '9\n');
    await expect(open()).rejects.toMatchObject({
      name: 'StoreRefusal',
      message: expect.stringContaining(`The embedded database in ${folder} cannot be opened: `) as string,
    });
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    writeFileSync(join(root, 'file'), '');
    await expect(open(join(root, 'file'))).rejects.toThrow(`The data folder ${join(root, 'file')} cannot be made`);
  });

  test('serves again after its engine broke, with everything that was acknowledged', patience, async () => {
    const database = await open();
    await database.query('insert into row values (7)');
    await expect(database.exec(trap)).rejects.toMatchObject({ name: 'Failure', code: 'dependency_unavailable' });
    expect(await database.query('select n from row')).toEqual([{ n: 7 }]);
  });

  test('stops serving when another process took the folder over', patience, async () => {
    const database = await open();
    const lock = join(folder, 'lock');
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), nonce: 'other' }));
    await expect
      .poll(() => database.query('select 1').catch((error: Error) => error.message), { timeout: 10_000 })
      .toBe('Another process took over the data folder, so the embedded database stopped.');
  });

  test('is made with the folders above it, and for its owner only', async () => {
    expect((await stat(join(root, 'made', 'seed'))).mode & 0o077).toBe(0);
  });
});

describe('an embedded database in memory', () => {
  let database: Database;

  beforeEach(async () => {
    const created = await engines[0]?.create(false);
    if (created === undefined) throw new Error('there is no engine to test');
    database = created.database;
    await database.exec('create table row (n int)');
  }, patience.timeout);

  afterEach(() => database.close());

  test('leaves the event loop free while a statement runs', patience, async () => {
    let ticks = 0;
    const clock = setInterval(() => {
      ticks += 1;
    }, 10);
    const started = performance.now();
    await database.query('select sum(sqrt(n)) from generate_series(1, 2000000) as n');
    const tookMs = performance.now() - started;
    clearInterval(clock);
    expect(tookMs).toBeGreaterThan(100);
    expect(ticks).toBeGreaterThan(tookMs / 100);
  });

  test('answers dependency_unavailable, and nothing else, once its engine broke', patience, async () => {
    const calls = [database.exec(trap), database.query('select 1'), database.transaction((sql) => sql.query('select 1'))];
    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ name: 'Failure', code: 'dependency_unavailable' });
    }
  });

  test('refuses deep recursion in an error and goes on', patience, async () => {
    await database.exec('create function descend(n int) returns int language plpgsql as $$ begin return descend(n + 1); end $$');
    await expect(database.query('select descend(1)')).rejects.toMatchObject({ code: '54001' });
    await expect(database.query("select repeat('[', 300000)::jsonb")).rejects.toMatchObject({ code: '22P02' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a queue for turns', () => {
  test('gives them in the order of arrival and turns away whoever waited too long', async () => {
    const turns = new TurnQueue(50);
    const order: number[] = [];
    await turns.enter();
    const waiting = [1, 2].map((n) => turns.enter().then(() => order.push(n)));
    turns.leave();
    await waiting[0];
    await expect(waiting[1]).rejects.toMatchObject({ code: 'dependency_unavailable', message: 'The embedded database is busy.' });
    turns.leave();
    await turns.enter();
    expect(order).toEqual([1]);
  });
});
