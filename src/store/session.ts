// What the two engines share: statements and transactions over an exclusive session.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql, SqlValue } from './database.ts';
import { hasSqlState, unavailable } from './sqlstate.ts';

/** A connection that nobody else uses until it is released. It throws translated errors only. */
export interface Session {
  /** The connection is gone; nothing more can be said over it. */
  readonly broken: boolean;
  query(text: string, values: readonly SqlValue[]): Promise<unknown[]>;
  /** Answers the command tag of the last statement. */
  exec(script: string): Promise<string>;
  release(): void;
}

export interface Engine {
  readonly engine: Database['engine'];
  /** Statements that open a transaction. */
  readonly begin: string;
  acquire(use: 'statement' | 'transaction'): Promise<Session>;
  close(): Promise<void>;
}

/** The first attempt and three more: a deadlock has at least one survivor, so a queue of writers drains. */
const attempts = 4;

/** A transaction that the current code was called from. It may be over by now: work started in it can outlive it. */
interface Scope {
  readonly engine: Engine;
  readonly outer: Scope | undefined;
  open: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

function isInside(engine: Engine): boolean {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.engine === engine && scope.open) return true;
  }
  return false;
}

export function databaseOver(engine: Engine): Database {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function withSession<T>(kind: 'statement' | 'transaction', use: (session: Session) => Promise<T>): Promise<T> {
    if (isInside(engine)) throw new Error('inside a transaction, use the sql that it was given');
    const session = await engine.acquire(kind);
    try {
      return await use(session);
    } finally {
      session.release();
    }
  }
  async function admit<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) throw unavailable('The database is closed.');
    const working = work();
    underWay.add(working);
    try {
      return await working;
    } finally {
      underWay.delete(working);
    }
  }
  async function repeat<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await withSession('transaction', (session) => inTransaction(engine, session, run));
      } catch (error) {
        if (attempt === attempts || !hasSqlState(error, 'repeatable')) throw error;
      }
      await sleep(Math.random() * 20 * attempt);
    }
  }
  async function drain(): Promise<void> {
    await Promise.allSettled(underWay);
    await engine.close();
  }
  return {
    engine: engine.engine,
    query: <Row>(text: string, values: readonly SqlValue[] = []) =>
      admit(() => withSession('statement', async (session) => (await session.query(text, values)) as Row[])),
    exec: (script) => admit(() => withSession('statement', async (session) => void (await session.exec(script)))),
    transaction: (run) => admit(() => repeat(run)),
    close: () => (closing ??= drain()),
  };
}

async function inTransaction<T>(engine: Engine, session: Session, run: (sql: Sql) => Promise<T>): Promise<T> {
  const scope: Scope = { engine, outer: scopes.getStore(), open: true };
  const checkOpen = () => {
    if (!scope.open) throw new Error('this transaction is over; a query was not awaited, or its sql was kept');
  };
  const sql: Sql = {
    async query<Row>(text: string, values: readonly SqlValue[] = []) {
      checkOpen();
      return (await session.query(text, values)) as Row[];
    },
    async exec(script) {
      checkOpen();
      await session.exec(script);
    },
  };
  await session.exec(engine.begin);
  try {
    const result = await scopes.run(scope, () => run(sql));
    scope.open = false;
    // Postgres answers the commit of a failed transaction with ROLLBACK and no error.
    if ((await session.exec('commit')) !== 'COMMIT') throw new Error('a statement failed and was passed over, so the transaction was rolled back');
    return result;
  } catch (error) {
    scope.open = false;
    if (!session.broken) await session.exec('rollback').catch(() => undefined);
    throw error;
  }
}
