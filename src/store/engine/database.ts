/** Values travel as `$n` parameters: strings, numbers, booleans, null, Date, arrays of these; JSON as a string cast to jsonb, vectors as text cast to vector. */
export type SqlValue = string | number | boolean | null | Date | readonly (string | number | boolean | null)[];

export interface Sql {
  /** One statement. `bigint` columns arrive as numbers, timestamps as `Date`, json as values, on both engines. */
  query<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** A script of several statements without parameters. */
  exec(script: string): Promise<void>;
}

/**
 * One database, embedded or served. Faults of the connection, the pool and time-outs are thrown as `Failure`
 * `dependency_unavailable`; other database errors keep their SQLSTATE in `code`.
 */
export interface Database extends Sql {
  readonly engine: 'pglite' | 'postgres';
  /** Runs in one transaction; rolls back when `run` throws; repeats it on a serialization failure or deadlock (SQLSTATE 40001, 40P01), at most three times. */
  transaction<T>(run: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
