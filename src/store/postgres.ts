import { availableParallelism } from 'node:os';
import pg from 'pg';
import { Failure } from '../failure.ts';
import type { Database } from './database.ts';
import { StoreRefusal } from './refusal.ts';
import { databaseOver, type Session } from './session.ts';
import { breaksConnection, hasSqlState, translate, unavailable } from './sqlstate.ts';
import { arrayElements, encodeValues, type ParseText, parsers } from './values.ts';

const leastPostgres = 15;
const leastPgvector = '0.8';
/** The oid of text[]; pg names no array types. */
const textArray: number = 1009;
const statementTimeoutMs = 15_000;

/** Throughput is flat from 4 clients on 2 cores: 238, 529 and 584 hybrid queries a second at 1, 4 and 16 clients. */
const poolSize = 2 * availableParallelism();

const common: pg.PoolConfig = {
  max: poolSize,
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 60_000,
  keepAlive: true,
  application_name: 'kneeboard',
  types: { getTypeParser: ((oid: number) => parserOf(oid)) as pg.CustomTypesConfig['getTypeParser'] },
};

/**
 * Opens a pool and checks that the server will do.
 * @throws StoreRefusal when the server or its pgvector is too old, or refuses the login.
 */
export async function openPostgres(databaseUrl: string): Promise<Database> {
  const { pool, begin, statementLimit } = await openPool(databaseUrl);
  const database = databaseOver({
    engine: 'postgres',
    begin,
    acquire: (use) => acquire(pool, use === 'statement' ? statementLimit : {}),
    close: () => pool.end(),
  });
  try {
    await checkVersions(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

interface PostgresPool {
  pool: pg.Pool;
  begin: string;
  /** What a single statement carries to be ended in time. */
  statementLimit: { query_timeout?: number };
}

/**
 * The statement timeout is a startup parameter, so that it costs no round trip. A pooler such as PgBouncer refuses
 * startup parameters it does not know and lends a session for one transaction only; behind one, transactions set it
 * for themselves and single statements are ended from this side.
 */
async function openPool(databaseUrl: string): Promise<PostgresPool> {
  const direct = createPool({ ...common, connectionString: databaseUrl, statement_timeout: statementTimeoutMs, options: '-c jit=off' });
  try {
    (await connect(direct)).release();
    return { pool: direct, begin: 'begin', statementLimit: {} };
  } catch (error) {
    await direct.end();
    if (!isRefusedParameter(error)) throw refusalOf(error);
  }
  const pooled = createPool({ ...common, connectionString: databaseUrl });
  return {
    pool: pooled,
    begin: `begin; set local statement_timeout = ${statementTimeoutMs}; set local jit = off`,
    statementLimit: { query_timeout: statementTimeoutMs },
  };
}

function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // A lost connection is met again, and reported, by whoever uses the pool next. Without listeners it ends the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translate(error);
  }
}

async function acquire(pool: pg.Pool, limit: PostgresPool['statementLimit']): Promise<Session> {
  const client = await connect(pool).catch((error: unknown) => {
    throw error instanceof Failure ? error : unavailable('The database refuses connections.', error);
  });
  let broken = false;
  async function guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const translated = translate(error);
      broken ||= breaksConnection(translated);
      throw translated;
    }
  }
  return {
    get broken() {
      return broken;
    },
    async query(text, values) {
      // The extended protocol takes one statement only, also when it has no parameters.
      const config: pg.QueryConfig & { queryMode: 'extended' } = { text, values: encodeValues(values), queryMode: 'extended', ...limit };
      return (await guard(client.query<Record<string, unknown>>(config))).rows;
    },
    async exec(script) {
      const results: pg.QueryResult | pg.QueryResult[] = await guard(client.query({ text: script, ...limit }));
      return (Array.isArray(results) ? results.at(-1)?.command : results.command) ?? '';
    },
    release: () => client.release(broken),
  };
}

function parserOf(oid: number): ParseText {
  const element = arrayElements[oid];
  if (element === undefined) return parsers[oid] ?? (pg.types.getTypeParser(oid) as ParseText);
  const split = pg.types.getTypeParser(textArray) as (text: string) => unknown[];
  return (text) => mapTexts(split(text), parsers[element] ?? String);
}

function mapTexts(values: unknown[], parse: ParseText): unknown[] {
  return values.map((value) => (Array.isArray(value) ? mapTexts(value, parse) : typeof value === 'string' ? parse(value) : value));
}

export interface Versions {
  server: string;
  /** As in server_version_num: 170011 is 17.11. */
  number: number;
  /** The pgvector that the server could install, and the one that the database has. */
  offered: string | null;
  installed: string | null;
}

async function checkVersions(database: Database): Promise<void> {
  const [found] = await database.query<Versions>(
    `select current_setting('server_version') as server, current_setting('server_version_num')::int as number,
      (select default_version from pg_available_extensions where name = 'vector') as offered,
      (select extversion from pg_extension where extname = 'vector') as installed`,
  );
  const fault = found === undefined ? 'The database does not tell its version.' : faultOf(found);
  if (fault !== undefined) throw new StoreRefusal(fault);
}

/** Why these versions will not do, and what to do about it; undefined when they will. */
export function faultOf({ server, number, offered, installed }: Versions): string | undefined {
  if (number < leastPostgres * 10_000) return `The database is Postgres ${server}; Kneeboard needs ${leastPostgres} or newer.`;
  const version = installed ?? offered;
  if (version === null) return `The database server has no pgvector. Install pgvector ${leastPgvector} or newer on it.`;
  if (!isOlder(version, leastPgvector)) return undefined;
  const canUpdate = offered !== null && !isOlder(offered, leastPgvector);
  return `The database has pgvector ${version}; Kneeboard needs ${leastPgvector} or newer. ${canUpdate ? 'Run "alter extension vector update" in it.' : 'Install a newer one on the server.'}`;
}

/** Compares dotted versions by their first two numbers. */
function isOlder(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

function isRefusedParameter(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof Error && /unsupported startup parameter/i.test(cause.message);
}

function refusalOf(error: unknown): unknown {
  return hasSqlState(error, 'notAdmitted') ? new StoreRefusal(`DATABASE_URL: Postgres refuses the login: ${error.message}.`) : error;
}
