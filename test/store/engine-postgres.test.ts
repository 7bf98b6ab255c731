import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { faultOf } from '../../src/store/postgres.ts';
import { engines, type TestDatabase } from '../helpers/databases.ts';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts';

const engine = engines.find(({ name }) => name === 'postgres');
const missing = engine?.missing;

const unavailable = { name: 'Failure', code: 'dependency_unavailable' };

describe.skipIf(missing !== undefined)(`Postgres${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  let created: TestDatabase;
  let url: string;
  let opened: Database[] = [];
  let proxies: TcpProxy[] = [];

  beforeAll(async () => {
    if (engine === undefined) throw new Error('there is no Postgres to test');
    created = await engine.create(false);
    url = created.url ?? '';
  });

  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    opened = [];
    proxies = [];
  });

  afterAll(() => created.dispose());

  async function open(databaseUrl = url): Promise<Database> {
    const database = await openDatabase({ databaseUrl, dataDir: 'unused' });
    opened.push(database);
    return database;
  }

  async function proxy(answerFirst?: (bytes: Buffer) => Buffer | undefined): Promise<TcpProxy> {
    const started = await startTcpProxy(url, answerFirst);
    proxies.push(started);
    return started;
  }

  test('that is not there is dependency_unavailable, quickly', async () => {
    const gone = await proxy();
    gone.cut();
    const started = performance.now();
    await expect(open(gone.url)).rejects.toMatchObject({ ...unavailable, message: 'The database cannot be reached.' });
    await gone.close();
    await expect(open(gone.url)).rejects.toMatchObject(unavailable);
    await expect(open('postgres://postgres@no-such-host.invalid/postgres')).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('that never answers is dependency_unavailable after five seconds', async () => {
    const silent = await proxy();
    silent.mode = 'silent';
    const started = performance.now();
    await expect(open(silent.url)).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  test('that refuses the login says so without the password', async () => {
    const wrong = new URL(url);
    wrong.pathname = '/no_such_database';
    wrong.password = 'hush-hush';
    const error: unknown = await open(wrong.href).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'StoreRefusal', message: 'DATABASE_URL: Postgres refuses the login: database "no_such_database" does not exist.' });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('hush-hush');
  });

  test('ends a statement after fifteen seconds and compiles none', async () => {
    const database = await open();
    expect(await database.query("select current_setting('statement_timeout') as timeout, current_setting('jit') as jit")).toEqual([
      { timeout: '15s', jit: 'off' },
    ]);
    const late = database.transaction((sql) => sql.exec('set local statement_timeout = 50; select pg_sleep(5)'));
    await expect(late).rejects.toMatchObject({ ...unavailable, message: 'The database took too long to answer.', cause: { code: '57014' } });
  });

  test('that drops its connections fails what is under way, ends no process, and is used again when it is back', async () => {
    const network = await proxy();
    const database = await open(network.url);
    const statement = database.query('select pg_sleep(5)');
    const idle = database.transaction(async (sql) => {
      await sleep(300);
      return sql.query('select 1');
    });
    await sleep(150);
    network.cut();
    for (const { reason } of (await Promise.allSettled([statement, idle])) as PromiseRejectedResult[]) expect(reason).toMatchObject(unavailable);
    await expect(database.query('select 1')).rejects.toMatchObject(unavailable);
    network.mode = 'open';
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('that ends a session fails its transaction and gives the next one another', async () => {
    const database = await open();
    const victim = database.transaction(async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await created.database.query('select pg_terminate_backend($1)', [row?.pid ?? 0]);
      await sleep(50);
      return sql.query('select 1');
    });
    await expect(victim).rejects.toMatchObject(unavailable);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('that ends idle sessions ends no process', async () => {
    const database = await open();
    await Promise.all([database.query('select pg_sleep(0.05)'), database.query('select pg_sleep(0.05)')]);
    await created.database.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');
    await sleep(100);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('keeps its sessions when statements are refused', async () => {
    const database = await open();
    const pid = async () => (await database.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    const before = await pid();
    await expect(database.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await pid()).toBe(before);
  });

  test('has two sessions a core, and answers dependency_unavailable to whoever waits five seconds for one', async () => {
    const database = await open();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holders = Array.from({ length: 2 * availableParallelism() }, () => database.transaction(() => released));
    await expect(database.query('select 1')).rejects.toMatchObject({ ...unavailable, message: 'Every database connection is busy.' });
    release();
    await Promise.all(holders);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('lets both of two transactions that deadlock succeed', async () => {
    const database = await open();
    await database.exec('create table pair (id int primary key, value int); insert into pair values (1, 0), (2, 0)');
    const cross = (first: number, second: number) =>
      database.transaction(async (sql) => {
        await sql.query('update pair set value = value + 1 where id = $1', [first]);
        await sleep(100);
        await sql.query('update pair set value = value + 1 where id = $1', [second]);
      });
    await Promise.all([cross(1, 2), cross(2, 1)]);
    expect(await database.query('select value from pair order by id')).toEqual([{ value: 2 }, { value: 2 }]);
  });

  test('behind a pooler that refuses startup parameters still has the timeout in transactions', async () => {
    const pooler = await proxy((bytes) =>
      bytes.includes('statement_timeout') ? errorResponse('08P01', 'unsupported startup parameter: statement_timeout') : undefined,
    );
    const database = await open(pooler.url);
    const settings = "select current_setting('statement_timeout') as timeout, current_setting('jit') as jit";
    expect(await database.transaction((sql) => sql.query(settings))).toEqual([{ timeout: '15s', jit: 'off' }]);
    expect(await database.query(settings)).not.toEqual([{ timeout: '15s', jit: 'off' }]);
  });

  test('with a pgvector that was never updated is refused with the command that updates it', async () => {
    await created.database.exec("create extension if not exists vector; update pg_extension set extversion = '0.7.4' where extname = 'vector'");
    await expect(open()).rejects.toMatchObject({
      name: 'StoreRefusal',
      message: 'The database has pgvector 0.7.4; Kneeboard needs 0.8 or newer. Run "alter extension vector update" in it.',
    });
  });
});

describe('the versions of a server', () => {
  const good = { server: '17.11', number: 170011, offered: '0.8.0', installed: null };

  test.each([
    ['Postgres 17 with pgvector 0.8 to install', good, undefined],
    ['Postgres 15 with pgvector 0.10', { ...good, number: 150000, installed: '0.10.1' }, undefined],
    ['Postgres 14', { ...good, server: '14.20', number: 140020 }, 'The database is Postgres 14.20; Kneeboard needs 15 or newer.'],
    ['no pgvector', { ...good, offered: null }, 'The database server has no pgvector. Install pgvector 0.8 or newer on it.'],
    ['an old pgvector', { ...good, offered: '0.7.4' }, 'The database has pgvector 0.7.4; Kneeboard needs 0.8 or newer. Install a newer one on the server.'],
  ])('are judged: %s', (_case, versions, fault) => {
    expect(faultOf(versions)).toBe(fault);
  });
});

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, ErrorResponse */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
