import { type Caller, type Grant, permissions } from '../../src/auth/caller.ts';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';
import { type ErrorBody, Failure } from '../../src/failure.ts';
import { newId } from '../../src/ids.ts';
import { createService } from '../../src/invoke.ts';
import type { Memory } from '../../src/memory/memory.ts';
import { operations } from '../../src/operations/index.ts';
import { defaultProfile } from '../../src/ranking/profile.ts';
import type { Outcome, Service } from '../../src/service.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { matchModel } from '../../src/upkeep/model-match.ts';

/** biome-ignore lint/suspicious/noExplicitAny: tests reach into outputs of every verb */
export type Output = Record<string, any>;

/** One principal's way to the service. */
export interface Agent {
  caller: Caller;
  /** The output; a refusal fails the test. */
  ok(verb: string, input: unknown): Promise<Output>;
  /** The error; a success fails the test. */
  refused(verb: string, input: unknown): Promise<ErrorBody>;
  remember(content: string, rest?: Record<string, unknown>): Promise<Memory>;
  invoke(verb: string, input: unknown): Promise<Outcome>;
}

export interface Testbed {
  service: Service;
  store: Store;
  database: Database;
  /** Moves the service's clock. */
  clock: { now: Date };
  /** The embedder answers or does not. */
  embedding: { works: boolean };
  /** What was reported as a defect. */
  defects: unknown[];
  /** A principal of a tenant of its own, or of another agent's. */
  agent(options?: { tenant?: string; grants?: Grant[] }): Promise<Agent>;
}

let shared: Promise<Embedder> | undefined;

/** The shipped model, loaded once a file. */
export function shippedEmbedder(): Promise<Embedder> {
  shared ??= createTransformersEmbedder();
  return shared;
}

/** The whole service below its envelopes, on a migrated database and with the shipped model. */
export async function createTestbed(database: Database): Promise<Testbed> {
  const store = createStore(database);
  const model = await shippedEmbedder();
  await matchModel(store.vectors, model.manifest);
  const clock = { now: new Date('2026-11-01T12:00:00.000Z') };
  const embedding = { works: true };
  const broken = createBrokenEmbedder(model);
  const defects: unknown[] = [];
  const service = createService({
    operations,
    store,
    embedder: { manifest: model.manifest, embed: (texts, role) => (embedding.works ? model : broken).embed(texts, role), close: () => model.close() },
    profile: defaultProfile,
    countRequest: async () => {},
    reportDefect: (error) => defects.push(error),
    now: () => clock.now,
  });
  let tenants = 0;

  return {
    service,
    store,
    database,
    clock,
    embedding,
    defects,
    async agent({ tenant = `t${newId('prn').slice(4, 14)}-${++tenants}`, grants = [{ scope: '*', can: permissions }] } = {}) {
      await store.credentials.createTenant(tenant).catch(() => {});
      const { principalId } = await store.credentials.enroll(tenant, { name: newId('prn'), type: 'person', grants });
      const { token } = await store.credentials.issue(tenant, principalId, { label: 'test' });
      const invoke = (verb: string, input: unknown) =>
        service.invoke(verb, input, { requestId: newId('req'), identify: () => service.authenticate(`Bearer ${token}`) });
      const agent: Agent = {
        caller: await service.authenticate(`Bearer ${token}`),
        invoke,
        async ok(verb, input) {
          const outcome = await invoke(verb, input);
          if (!outcome.ok) throw new Error(`${verb} was refused: ${JSON.stringify(outcome.error)}`, { cause: defects.at(-1) });
          return outcome.output;
        },
        async refused(verb, input) {
          const outcome = await invoke(verb, input);
          if (outcome.ok) throw new Error(`${verb} was not refused: ${JSON.stringify(outcome.output)}`);
          return outcome.error;
        },
        async remember(content, rest = {}) {
          const { memory } = await agent.ok('memory.remember', { content, kind: 'fact', ...rest });
          return memory;
        },
      };
      return agent;
    },
  };
}

/** Fails as a model does whose process is gone. */
function createBrokenEmbedder({ manifest }: Embedder): Embedder {
  return {
    manifest,
    embed: () => Promise.reject(new Failure('dependency_unavailable', 'The embedding model does not answer.')),
    close: async () => {},
  };
}
