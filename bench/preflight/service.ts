import { permissions } from '../../src/auth/caller.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';
import { newId } from '../../src/ids.ts';
import { createService } from '../../src/invoke.ts';
import { operations } from '../../src/operations/index.ts';
import { defaultProfile } from '../../src/ranking/profile.ts';
import type { Service } from '../../src/service.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { openDatabase } from '../../src/store/engine/open.ts';
import { createStore } from '../../src/store/store.ts';
import { matchModel } from '../../src/upkeep/model-match.ts';
import { temporaryStore } from '../temporary.ts';

export type Output = Record<string, unknown>;

/** One tenant's way to the verbs. */
export interface Tenant {
  /** @param threshold relevance threshold in place of the profile's */
  invoke(verb: string, input: unknown, threshold?: number): Promise<Output>;
}

export interface PreflightService extends AsyncDisposable {
  model: string;
  engine: string;
  /** The profile's relevance threshold. */
  threshold: number;
  /** The service's clock, so that policies can have been written before they expired. */
  clock: { now: Date };
  /** A tenant of its own, so that no set sees another's policies. */
  freshTenant(): Promise<Tenant>;
}

/** The service below its envelopes, over one store; a threshold makes another service over the same store. */
export async function openPreflightService({ serverUrl, model }: { serverUrl?: string | undefined; model?: string | undefined }): Promise<PreflightService> {
  const place = await temporaryStore(serverUrl);
  const database = await openDatabase({ databaseUrl: place.databaseUrl, dataDir: 'memory://' });
  await migrate(database);
  const store = createStore(database);
  const embedder = await createTransformersEmbedder({ ...(model !== undefined && { model }), queryCacheSize: 1 });
  await matchModel(store.vectors, embedder.manifest);
  const clock = { now: new Date() };
  const services = new Map<number, Service>();
  const serviceAt = (relevance: number) => {
    const known = services.get(relevance);
    if (known) return known;
    const service = createService({
      operations,
      store,
      embedder,
      profile: { ...defaultProfile, thresholds: { ...defaultProfile.thresholds, relevance } },
      countRequest: async () => {},
      reportDefect: (error) => {
        throw error;
      },
      now: () => clock.now,
    });
    services.set(relevance, service);
    return service;
  };
  let tenants = 0;
  return {
    model: embedder.manifest.id,
    engine: database.engine,
    threshold: defaultProfile.thresholds.relevance,
    clock,
    async freshTenant() {
      const tenant = `set-${++tenants}`;
      await store.credentials.createTenant(tenant);
      const { principalId } = await store.credentials.enroll(tenant, { name: 'bench', type: 'machine', grants: [{ scope: '*', can: permissions }] });
      const { token } = await store.credentials.issue(tenant, principalId, { label: 'bench' });
      return {
        async invoke(verb, input, threshold = defaultProfile.thresholds.relevance) {
          const service = serviceAt(threshold);
          const outcome = await service.invoke(verb, input, { requestId: newId('req'), identify: () => service.authenticate(`Bearer ${token}`) });
          if (!outcome.ok) throw new Error(`${verb} was refused: ${JSON.stringify(outcome.error)}`);
          return outcome.output;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([embedder.close(), store.close()]);
      await place[Symbol.asyncDispose]();
    },
  };
}
