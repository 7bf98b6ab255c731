import type { Database } from './database.ts';

export interface DatabaseOptions {
  /** Postgres, when given. */
  databaseUrl: string | undefined;
  /** Folder of the embedded database; `memory://` keeps nothing. */
  dataDir: string;
}

/** Opens the database that the configuration names, without touching its schema. Each driver loads only when it is the one. */
export async function openDatabase({ databaseUrl, dataDir }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== undefined) return (await import('./postgres.ts')).openPostgres(databaseUrl);
  return (await import('./pglite.ts')).openPglite({ dataDir });
}
