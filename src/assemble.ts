import { join as joinPath } from 'node:path';
import type { OAuthClients } from './auth/oauth-clients.ts';
import type { Config, Secrets } from './config.ts';
import type { Embedder } from './embedding/embedder.ts';
import { createTransformersEmbedder } from './embedding/transformers.ts';
import { createService } from './invoke.ts';
import { createRateLimit } from './limits/rate.ts';
import type { Logger } from './logger.ts';
import { operations } from './operations/index.ts';
import { defaultProfile } from './ranking/profile.ts';
import { analyze } from './ranking/terms.ts';
import type { Service } from './service.ts';
import { migrate } from './store/engine/migrate.ts';
import { openDatabase } from './store/engine/open.ts';
import { createOAuthClients } from './store/oauth-clients.ts';
import { createStore, type Store } from './store/store.ts';
import { startUpkeep } from './upkeep/backfill.ts';
import { matchModel } from './upkeep/model-match.ts';

/** Makes the parts and joins them; starts no server. */

/** Memories that one sweep takes out of the index at most. */
const sweepSize = 500;

/** The database, brought up to date. */
export async function openStore(config: Pick<Config, 'dataDir'>, secrets: Pick<Secrets, 'databaseUrl'>): Promise<Store> {
  const database = await openDatabase({ databaseUrl: secrets.databaseUrl, dataDir: config.dataDir });
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createStore(database);
}

/** Downloaded models lie beside the embedded data; the packaged ones are found by themselves. */
export function modelsFolder(config: Pick<Config, 'dataDir'>): string {
  return joinPath(config.dataDir, 'models');
}

export function openEmbedder(config: Pick<Config, 'model' | 'dataDir'>): Promise<Embedder> {
  return createTransformersEmbedder({ model: config.model, modelRoots: [modelsFolder(config)] });
}

export interface Assembled {
  service: Service;
  store: Store;
  oauthClients: OAuthClients;
  close(): Promise<void>;
}

export async function assemble(config: Config, secrets: Secrets, log: Logger): Promise<Assembled> {
  const [store, embedder] = await both(openStore(config, secrets), openEmbedder(config));
  try {
    return await join(config, store, embedder, log);
  } catch (error) {
    await Promise.allSettled([embedder.close(), store.close()]);
    throw error;
  }
}

/** @throws ModelMismatch when the stored vectors are another model's. */
export async function join(config: Pick<Config, 'rateLimit'>, store: Store, embedder: Embedder, log: Logger): Promise<Assembled> {
  const modelNo = await matchModel(store.vectors, embedder.manifest);
  const upkeep = startUpkeep({ vectors: store.vectors, embedder, modelNo, sweep: () => sweep(store), log });
  const service = createService({
    operations,
    store,
    embedder: upkeep.embedder,
    profile: defaultProfile,
    countRequest: createRateLimit({ perMinute: config.rateLimit }),
    reportDefect: (error, requestId) => log.error({ err: error, request_id: requestId }, 'request failed'),
    now: () => new Date(),
  });
  return {
    service,
    store,
    oauthClients: createOAuthClients(store),
    async close() {
      await upkeep.stop();
      await Promise.allSettled([embedder.close(), store.close()]);
    },
  };
}

/** Housekeeping: expired memories leave the index, tokens that expired a day ago leave the table. */
async function sweep(store: Store): Promise<void> {
  const now = new Date();
  await store.unindexExpired(now, (content, occurredAt) => analyze(content, occurredAt).terms.keys(), sweepSize);
  await store.credentials.removeExpired(new Date(now.getTime() - 86_400_000));
}

/** Opens two things side by side; when one cannot be opened, the other is closed again. */
async function both<A extends Closable, B extends Closable>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value];
  for (const opened of [a, b]) if (opened.status === 'fulfilled') await opened.value.close();
  throw a.status === 'rejected' ? a.reason : (b as PromiseRejectedResult).reason;
}

interface Closable {
  close(): Promise<void>;
}
