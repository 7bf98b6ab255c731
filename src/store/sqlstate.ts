// Database errors by SQLSTATE, the same on both engines. https://www.postgresql.org/docs/current/errcodes-appendix.html
import { Failure } from '../failure.ts';

export const sqlStates = {
  uniqueViolation: ['23505'],
  foreignKeyViolation: ['23503'],
  checkViolation: ['23514'],
  /** The transaction may simply be run again. */
  repeatable: ['40001', '40P01'],
  /** The server ended the statement: statement_timeout, or a lock that was not granted in time. */
  timedOut: ['57014', '55P03'],
  /** Too many connections, out of disk or memory. */
  exhausted: ['53000', '53100', '53200', '53300', '53400'],
  /** Shutting down, crashed, starting up. */
  unavailable: ['57P01', '57P02', '57P03', '57P04', '57P05'],
  connection: ['08000', '08001', '08003', '08004', '08006', '08007', '08P01'],
  /** Wrong password, unknown user, unknown database. */
  notAdmitted: ['28000', '28P01', '3D000'],
} as const;

export type SqlStateGroup = keyof typeof sqlStates;

export interface SqlErrorFields {
  message: string;
  code: string;
  detail?: string | undefined;
  hint?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
}

/** What the database said. `detail` may quote stored text, so it is hidden from serializers and thereby from logs. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly hint: string | undefined;
  declare readonly detail: string | undefined;

  constructor(fields: SqlErrorFields) {
    super(fields.message);
    this.code = fields.code;
    this.constraint = fields.constraint;
    this.table = fields.table;
    this.column = fields.column;
    this.hint = fields.hint;
    Object.defineProperty(this, 'detail', { value: fields.detail, enumerable: false });
  }
}

export function hasSqlState(error: unknown, group: SqlStateGroup): error is SqlError {
  return error instanceof SqlError && isIn(error.code, group);
}

function isIn(code: string, group: SqlStateGroup): boolean {
  return (sqlStates[group] as readonly string[]).includes(code);
}

/** Node's names for a connection that was refused, reset, lost or never found. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a Unix socket that is not there
  'EACCES',
]);

/** pg throws these without any code (pg 8.23, pg-pool 3.14). */
const codelessFaults = /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/;
const poolTimeout = 'timeout exceeded when trying to connect';
const clientTimeout = 'Query read timeout';

/**
 * Sorts what a driver threw: a `Failure` when the database cannot serve now, a `SqlError` when it answered with an
 * error, and whatever it was when it is a defect of ours.
 */
export function translate(error: unknown): unknown {
  if (error instanceof Failure || error instanceof SqlError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.message === poolTimeout) return unavailable('Every database connection is busy.', error);
  if (error.message === clientTimeout) return unavailable('The database took too long to answer.', error);
  if (networkCodes.has(code) || codelessFaults.test(error.message)) return unavailable('The database cannot be reached.', error);
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  const sqlError = new SqlError({ ...pickFields(error), message: error.message, code });
  if (isIn(code, 'timedOut')) return unavailable('The database took too long to answer.', sqlError);
  if (isIn(code, 'exhausted')) return unavailable('The database has no room for more work now.', sqlError);
  if (isIn(code, 'unavailable') || isIn(code, 'connection')) return unavailable('The database is not available now.', sqlError);
  return sqlError;
}

/** Whether the connection that met this translated error is of no further use. Only for errors that a driver threw. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof SqlError) return false;
  const cause = error instanceof Failure ? error.cause : error;
  return !(cause instanceof SqlError && (isIn(cause.code, 'timedOut') || isIn(cause.code, 'exhausted')));
}

export function unavailable(message: string, cause?: unknown): Failure {
  return new Failure('dependency_unavailable', message, { cause });
}

/** The fields of a driver's error that are worth keeping; PGlite adds the statement's parameters, which are not. */
export function pickFields(error: Error): Omit<SqlErrorFields, 'message' | 'code'> {
  const { detail, hint, constraint, table, column } = error as Error & Partial<SqlErrorFields>;
  return { detail, hint, constraint, table, column };
}
