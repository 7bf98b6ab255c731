import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import type { Database } from '../../src/store/database.ts';
import { hasSqlState, SqlError } from '../../src/store/sqlstate.ts';
import { describeEngines } from '../helpers/databases.ts';

describeEngines(
  'a database',
  (open) => {
    let database: Database;
    beforeAll(async () => {
      database = await open();
      await database.exec(
        'create table item (id int primary key, note text); create table gauge (id int primary key, value int); insert into gauge values (1, 0), (2, 0)',
      );
    });

    test('gives bigint and numeric as numbers, timestamps as Date, json as values', async () => {
      const [row] = await database.query(
        `select 9007199254740991::bigint as big, sum(n) as total, avg(n) as mean, array[1, 2]::bigint[] as bigs, '{"a": [1, null]}'::jsonb as doc,
          timestamptz '2026-11-20 20:11:00.5+02' as moment, array[timestamptz '2026-11-20 20:11:00+00', null] as moments, date '2026-11-20' as day
        from generate_series(1, 4) as n`,
      );
      expect(row).toEqual({
        big: 9007199254740991,
        total: 10,
        mean: 2.5,
        bigs: [1, 2],
        doc: { a: [1, null] },
        moment: new Date('2026-11-20T18:11:00.5Z'),
        moments: [new Date('2026-11-20T20:11:00Z'), null],
        day: '2026-11-20',
      });
    });

    test('gives every kind of parameter back as it was sent', async () => {
      const moment = new Date('2026-11-20T18:11:00.123Z');
      const awkward = ['plain', 'a "quoted" one', 'back\\slash', '{}', 'NULL', '', 'comma, brace }', 'line\nbreak', null];
      const [row] = await database.query(
        'select $1::text as t, $2::int as i, $3::float8 as f, $4::boolean as b, $5::text as n, $6::timestamptz as d, $7::text[] as ts, $8::float8[] as fs, $9::jsonb as j, $10::text[] as e, $11::boolean[] as bs',
        ["it's $1", -7, 0.1, true, null, moment, awkward, [1, 2.5e-7, null], '{"k": "v"}', [], [true, false, null]],
      );
      expect(row).toEqual({
        t: "it's $1",
        i: -7,
        f: 0.1,
        b: true,
        n: null,
        d: moment,
        ts: awkward,
        fs: [1, 2.5e-7, null],
        j: { k: 'v' },
        e: [],
        bs: [true, false, null],
      });
    });

    test('takes vectors as text and has pgvector at least 0.8', async () => {
      await database.exec('create extension if not exists vector');
      const [row] = await database.query<{ distance: number; list: string[]; version: string }>(
        "select ($1::vector <#> $2::vector) as distance, ($3::vector[])[2]::text as second, (select extversion from pg_extension where extname = 'vector') as version",
        ['[1,2,3]', '[1,0,1]', ['[1,2]', '[3,4]']],
      );
      expect(row).toMatchObject({ distance: -4, second: '[3,4]' });
      expect(Number(row?.version.split('.')[1])).toBeGreaterThanOrEqual(8);
    });

    test('keeps the SQLSTATE and the constraint of an error, and goes on', async () => {
      await database.query('insert into item values (1, $1)', ['first']);
      const error: unknown = await database.query('insert into item values (1, $1)', ['again']).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(SqlError);
      expect(error).toMatchObject({ code: '23505', constraint: 'item_pkey', table: 'item' });
      expect(hasSqlState(error, 'uniqueViolation')).toBe(true);
      expect((error as SqlError).detail).toContain('(id)=(1)');
      expect(JSON.stringify(error)).not.toContain('already exists');
      await expect(database.query('selec 1')).rejects.toMatchObject({ code: '42601' });
      await expect(database.query('select $1::boolean', ['perhaps'])).rejects.toMatchObject({ code: '22P02' });
      await expect(database.exec('select 1; select 1 / 0; select 2')).rejects.toMatchObject({ code: '22012' });
      expect(await database.query('select note from item where id = 1')).toEqual([{ note: 'first' }]);
    });

    test('names the calling function in the stack of an error', async () => {
      async function askForNothing() {
        return await database.query('select * from nothing');
      }
      const error: unknown = await askForNothing().catch((caught: unknown) => caught);
      expect((error as Error).stack).toContain('askForNothing');
    });

    test('takes one statement a query, and a script only by exec', async () => {
      await expect(database.query('select 1; select 2')).rejects.toMatchObject({ code: '42601' });
      expect(await database.query('select 1 as one;')).toEqual([{ one: 1 }]);
      await database.exec('select 1; select 2; -- and a remark');
      await database.exec('');
    });

    test('runs a script whole or not at all', async () => {
      await expect(database.exec('insert into item values (50, null); insert into item values (50, null)')).rejects.toMatchObject({ code: '23505' });
      expect(await database.query('select 1 from item where id = 50')).toEqual([]);
    });

    test('keeps what a transaction wrote, and its result', async () => {
      const result = await database.transaction(async (sql) => {
        await sql.exec("insert into item values (2, 'kept')");
        return (await sql.query<{ note: string }>('select note from item where id = $1', [2]))[0]?.note;
      });
      expect(result).toBe('kept');
      expect(await database.query('select 1 from item where id = 2')).toHaveLength(1);
    });

    test('undoes a transaction whose run throws, and throws the same error', async () => {
      const reason = new Failure('conflict', 'no');
      await expect(
        database.transaction(async (sql) => {
          await sql.query('insert into item values (3, null)');
          throw reason;
        }),
      ).rejects.toBe(reason);
      expect(await database.query('select 1 from item where id = 3')).toEqual([]);
    });

    test('does not report a transaction as kept when a failed statement in it was passed over', async () => {
      await expect(
        database.transaction(async (sql) => {
          await sql.query('insert into item values (4, null)');
          await sql.query('select 1 / 0').catch(() => undefined);
        }),
      ).rejects.toThrow('rolled back');
      expect(await database.query('select 1 from item where id = 4')).toEqual([]);
    });

    test('lets no outside statement into a transaction', async () => {
      const order: string[] = [];
      const inside = database.transaction(async (sql) => {
        await sql.query('insert into item values (5, null)');
        await sleep(50);
        order.push('inside');
      });
      await sleep(10);
      const seen = await database.query('select 1 from item where id = 5');
      order.push('outside');
      await inside;
      // Postgres lets the outside statement run beside it and shows it nothing; PGlite makes it wait and shows it the row.
      expect(seen).toHaveLength(order[0] === 'inside' ? 1 : 0);
    });

    test('refuses its own methods inside a transaction, where they would wait for themselves', async () => {
      await expect(database.transaction(() => database.query('select 1'))).rejects.toThrow('use the sql');
      await expect(database.transaction(() => database.transaction(async () => 1))).rejects.toThrow('use the sql');
    });

    test('serves work that a transaction started and that outlives it', async () => {
      const { later } = await database.transaction(async () => ({ later: sleep(20).then(() => database.query('select 1 as one')) }));
      expect(await later).toEqual([{ one: 1 }]);
    });

    test('refuses the sql of a transaction that is over', async () => {
      const kept = await database.transaction(async (sql) => sql);
      await expect(kept.query('select 1')).rejects.toThrow('this transaction is over');
    });

    test('loses no increment of 40 transactions at once', async () => {
      await Promise.all(
        Array.from({ length: 40 }, () =>
          database.transaction(async (sql) => {
            const [row] = await sql.query<{ value: number }>('select value from gauge where id = 1 for update');
            await sql.query('update gauge set value = $1 where id = 1', [(row?.value ?? 0) + 1]);
          }),
        ),
      );
      expect(await database.query('select value from gauge where id = 1')).toEqual([{ value: 40 }]);
    });

    test('repeats a transaction that failed to serialize, three times and no more', async () => {
      let runs = 0;
      const twice = await database.transaction(async (sql) => {
        runs += 1;
        if (runs < 3) await sql.exec("do $$ begin raise exception 'again' using errcode = '40001'; end $$");
        return runs;
      });
      expect(twice).toBe(3);
      runs = 0;
      const always = database.transaction(async (sql) => {
        runs += 1;
        await sql.exec("do $$ begin raise exception 'again' using errcode = '40P01'; end $$");
      });
      await expect(always).rejects.toMatchObject({ code: '40P01' });
      expect(runs).toBe(4);
    });

    test('answers a caller with dependency_unavailable when a statement was timed out', async () => {
      const timedOut = database.exec("do $$ begin raise exception 'late' using errcode = '57014'; end $$");
      await expect(timedOut).rejects.toMatchObject({ name: 'Failure', code: 'dependency_unavailable', cause: { code: '57014' } });
    });

    test('finishes what was asked before it closes, closes once, and then answers dependency_unavailable', async () => {
      const other = await open();
      const asked = Array.from({ length: 5 }, (_, n) => other.query<{ n: number }>('select $1::int as n', [n]));
      const closing = Promise.all([other.close(), other.close()]);
      expect((await Promise.all(asked)).map((rows) => rows[0]?.n)).toEqual([0, 1, 2, 3, 4]);
      await closing;
      await expect(other.query('select 1')).rejects.toMatchObject({ code: 'dependency_unavailable', message: 'The database is closed.' });
      await expect(other.transaction(async () => 1)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    });
  },
  { migrated: false },
);
