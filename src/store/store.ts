import type { Caller, Permission } from '../auth/caller.ts';
import { type AuditEntry, appendAudit } from './audit.ts';
import { type Checks, createChecks } from './checks.ts';
import { type Credentials, createCredentials } from './credentials.ts';
import type { Stamp } from './draft.ts';
import type { Database } from './engine/database.ts';
import { unindexExpired } from './expiry.ts';
import { createVectors, type Vectors } from './models.ts';
import { createReader, type Reader } from './reader.ts';
import { createWriter, type Writer } from './writer.ts';

/** Durable state. Memories are reached only through a reader or a writer that is bound to a caller. */
export interface Store {
  reader(caller: Caller, now: Date, permission?: Permission): Reader;
  writer(stamp: Stamp): Writer;
  checks(caller: Caller, now: Date): Checks;
  readonly credentials: Credentials;
  readonly vectors: Vectors;
  audit(entry: AuditEntry): Promise<void>;
  /** Runs several credential changes as one. */
  changeCredentials<T>(run: (credentials: Credentials) => Promise<T>): Promise<T>;
  unindexExpired(now: Date, termsOf: Stamp['termsOf'], limit: number): Promise<number>;
  /** @throws Failure `dependency_unavailable` */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createStore(database: Database): Store {
  return {
    reader: (caller, now, permission) => createReader(database, caller, now, permission),
    writer: (stamp) => createWriter(database, stamp),
    checks: (caller, now) => createChecks(database, caller, now),
    credentials: createCredentials(database),
    vectors: createVectors(database),
    audit: (entry) => appendAudit(database, entry),
    changeCredentials: (run) => database.transaction((sql) => run(createCredentials(sql))),
    unindexExpired: (now, termsOf, limit) => unindexExpired(database, now, termsOf, limit),
    async ping() {
      await database.query('select 1');
    },
    close: () => database.close(),
  };
}
