import { permissions } from '../../src/auth/caller.ts';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';
import { newId } from '../../src/ids.ts';
import { createService } from '../../src/invoke.ts';
import { operations } from '../../src/operations/index.ts';
import type { RankingProfile } from '../../src/ranking/profile.ts';
import type { Service } from '../../src/service.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { openDatabase } from '../../src/store/engine/open.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { matchModel } from '../../src/upkeep/model-match.ts';
import { temporaryStore } from '../temporary.ts';
import { type Leg, legEmbedder, legProfile, legs } from './legs.ts';

export type Output = Record<string, unknown>;

/** One tenant's way to the verbs, ranked by one leg or by all of them. */
export type Invoke = (leg: Leg, verb: string, input: unknown) => Promise<Output>;

export interface RankingService extends AsyncDisposable {
  model: string;
  engine: string;
  /** A tenant of its own, so that no set's statistics touch another's. */
  freshTenant(): Promise<Invoke>;
}

export interface RankingServiceOptions {
  profile: RankingProfile;
  /** Postgres server; undefined means PGlite in memory. */
  serverUrl?: string | undefined;
  model?: string | undefined;
}

/** Everything is as of this moment, so that ages, and with them scores, are the same in every run. */
const now = new Date('2026-11-01T12:00:00Z');

/** The service below its envelopes, once for each leg, over one store. */
export async function openRankingService({ profile, serverUrl, model }: RankingServiceOptions): Promise<RankingService> {
  const place = await temporaryStore(serverUrl);
  const database = await openDatabase({ databaseUrl: place.databaseUrl, dataDir: 'memory://' });
  await migrate(database);
  const store = createStore(database);
  // A cache of one: what is timed includes embedding the question.
  const embedder = await createTransformersEmbedder({ ...(model !== undefined && { model }), queryCacheSize: 1 });
  await matchModel(store.vectors, embedder.manifest);
  const services = new Map(legs.map((leg) => [leg, serviceOf(store, legEmbedder(embedder, leg), legProfile(profile, leg))]));
  let tenants = 0;

  return {
    model: embedder.manifest.id,
    engine: database.engine,
    async freshTenant() {
      const tenant = `set-${++tenants}`;
      await store.credentials.createTenant(tenant);
      const { principalId } = await store.credentials.enroll(tenant, { name: 'bench', type: 'machine', grants: [{ scope: '*', can: permissions }] });
      const { token } = await store.credentials.issue(tenant, principalId, { label: 'bench' });
      return async (leg, verb, input) => {
        const service = services.get(leg) as Service;
        const outcome = await service.invoke(verb, input, { requestId: newId('req'), identify: () => service.authenticate(`Bearer ${token}`) });
        if (!outcome.ok) throw new Error(`${verb} was refused: ${JSON.stringify(outcome.error)}`);
        return outcome.output;
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([embedder.close(), store.close()]);
      await place[Symbol.asyncDispose]();
    },
  };
}

function serviceOf(store: Store, embedder: Embedder, profile: RankingProfile): Service {
  return createService({
    operations,
    store,
    embedder,
    profile,
    countRequest: async () => {},
    reportDefect: (error) => {
      throw error;
    },
    now: () => now,
  });
}
