import { afterAll } from 'vitest';
import { type Grant, type Permission, permissions } from '../../src/auth/caller.ts';
import { createApp } from '../../src/envelope/http.ts';
import { startHttp } from '../../src/envelope/listen.ts';
import { newId } from '../../src/ids.ts';
import { createService } from '../../src/invoke.ts';
import { createRateLimit } from '../../src/limits/rate.ts';
import { createLogger } from '../../src/logger.ts';
import { operations } from '../../src/operations/index.ts';
import { defaultProfile } from '../../src/ranking/profile.ts';
import type { Service } from '../../src/service.ts';
import { clientIdOf } from '../../src/store/credentials.ts';
import { createOAuthClients } from '../../src/store/oauth-clients.ts';
import { createStore } from '../../src/store/store.ts';
import { matchModel } from '../../src/upkeep/model-match.ts';
import { engines, type TestDatabase } from './databases.ts';
import { shippedEmbedder } from './testbed.ts';

export interface StartedService {
  url: string;
  /** May do everything in its tenant. */
  token: string;
  /** May only read. */
  readerToken: string;
  /** A machine principal's client id and secret. */
  client: { id: string; secret: string };
  /** What was logged, one line each. */
  log: string[];
  /** From now on the store does not answer; for a service with a database of its own. */
  breakStore(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions {
  rateLimit?: number;
  allowedOrigins?: string[];
  /** Otherwise the services of a file share one database, each with a tenant of its own: they start in a fraction of the time. */
  ownDatabase?: boolean;
  /** Swaps a part of the service, to plant a defect. */
  alter?(service: Service): Service;
}

let shared: Promise<TestDatabase> | undefined;
afterAll(async () => {
  await (await shared)?.dispose();
});

/** The whole service on a free port, with a real store and the shipped model. */
export async function startService(options: StartOptions = {}): Promise<StartedService> {
  const { rateLimit = 100_000, allowedOrigins = [], ownDatabase = false, alter = (service) => service } = options;
  const log: string[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(line) });
  if (!ownDatabase) shared ??= newDatabase();
  const { database, dispose } = await (ownDatabase ? newDatabase() : (shared as Promise<TestDatabase>));
  const store = createStore(database);
  const embedder = await shippedEmbedder();
  await matchModel(store.vectors, embedder.manifest);
  const service = createService({
    operations,
    store,
    embedder,
    profile: defaultProfile,
    countRequest: createRateLimit({ perMinute: rateLimit }),
    reportDefect: (error, requestId) => logger.error({ err: error, request_id: requestId }, 'request failed'),
    now: () => new Date(),
  });

  const { credentials } = store;
  const tenant = newId('prn').slice(4);
  await credentials.createTenant(tenant);
  const everywhere = (can: readonly Permission[]): Grant[] => [{ scope: '*', can }];
  const owner = await credentials.enroll(tenant, { name: 'owner', type: 'person', grants: everywhere(permissions) });
  const reader = await credentials.enroll(tenant, { name: 'reader', type: 'person', grants: everywhere(['read']) });
  const machine = await credentials.enroll(tenant, { name: 'machine', type: 'machine', grants: everywhere(['read', 'write']) });
  const { token } = await credentials.issue(tenant, owner.principalId, { label: 'test' });
  const { token: readerToken } = await credentials.issue(tenant, reader.principalId, { label: 'test' });

  let address = '';
  const app = createApp({
    service: alter(service),
    config: { rateLimit, allowedOrigins },
    logger,
    baseUrl: () => address,
    oauth: createOAuthClients(store),
  });
  const listening = await startHttp(app, { host: '127.0.0.1', port: 0 });
  address = listening.address;
  return {
    url: address,
    token,
    readerToken,
    client: { id: clientIdOf(tenant, machine.principalId), secret: machine.clientSecret ?? '' },
    log,
    async breakStore() {
      if (!ownDatabase) throw new Error('only a service with a database of its own can lose it');
      await database.close();
    },
    async close() {
      await listening.close({ timeoutMs: 1_000 });
      if (ownDatabase) await dispose();
    },
  };
}

function newDatabase(): Promise<TestDatabase> {
  const engine = engines.find(({ missing }) => missing === undefined);
  if (engine === undefined) throw new Error('no database engine is there to test on');
  return engine.create(true);
}
