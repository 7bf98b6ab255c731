import { z } from 'zod';
import type { Caller, Permission } from '../../src/auth/caller.ts';
import type { OAuthClients } from '../../src/auth/oauth-clients.ts';
import type { Context } from '../../src/context.ts';
import { errorBody, Failure } from '../../src/failure.ts';
import { createRateLimit } from '../../src/limits/rate.ts';
import { defineOperation, type Operation } from '../../src/operation.ts';
import type { Service } from '../../src/service.ts';

/** Stands in for the real service until it lands: four of the verbs on a Map, with the contract's shapes. */
export function createToyService({ rateLimit = 100_000 } = {}) {
  const tokens = new Map<string, Caller>([
    ['toy-owner-token', person('prn_owner', ['read', 'write', 'govern', 'approve'])],
    ['toy-reader-token', person('prn_reader', ['read'])],
  ]);
  const machine: Caller = { ...person('prn_machine', ['read', 'write']), type: 'machine' };
  const state = { storeIsDown: false };
  const limit = createRateLimit({ perMinute: rateLimit });
  const operations = toyOperations();

  const authenticate = async (authorization: string | undefined) => {
    if (state.storeIsDown) throw new Failure('dependency_unavailable', 'The database does not answer.');
    const caller = tokens.get(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    if (caller === undefined) throw new Failure('unauthenticated', 'The credential is missing or not valid.');
    return caller;
  };

  const service: Service = {
    operations,
    authenticate,
    limit: (caller) => limit(caller.principalId),
    async invoke(verb, input, call) {
      let principalId: string | undefined;
      try {
        const caller = await call.identify();
        principalId = caller.principalId;
        await limit(caller.principalId);
        const operation = operations.find(({ name }) => name === verb);
        if (operation === undefined) throw unknownVerb(verb, operations);
        if (!caller.grants.some(({ can }) => can.includes(operation.permission))) throw new Failure('forbidden', 'A grant is missing.');
        const parsed = operation.input.safeParse(input);
        if (!parsed.success) throw new Failure('validation', parsed.error.issues[0]?.message ?? '', { field: parsed.error.issues[0]?.path.join('.') });
        const output = await operation.run(parsed.data, { caller, requestId: call.requestId, now: new Date() } as Context);
        return { ok: true, output, partial: operation.partial?.(output) ?? false, principalId };
      } catch (error) {
        return { ok: false, error: errorBody(error, call.requestId), ...(principalId === undefined ? {} : { principalId }) };
      }
    },
    readiness: async () => ({ ready: !state.storeIsDown, database: !state.storeIsDown, model: true }),
  };

  const oauthClients: OAuthClients = {
    async verifyClient(clientId, secret) {
      if (state.storeIsDown) throw new Failure('dependency_unavailable', 'The database does not answer.');
      return clientId === 'toy-client' && secret === 'toy-secret' ? machine : undefined;
    },
    async issueAccessToken(caller) {
      const token = `toy-access-${tokens.size}`;
      tokens.set(token, caller);
      return token;
    },
    async revoke(token) {
      tokens.delete(token);
    },
  };
  const breakStore = () => {
    state.storeIsDown = true;
  };
  return { service, oauthClients, breakStore };
}

function unknownVerb(verb: string, operations: readonly Operation[]): Failure {
  const allowed = operations.map(({ name }) => name);
  const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  return new Failure('not_found', 'No such verb is served.', {
    details: { did_you_mean: allowed.find((name) => letters(verb).endsWith(letters(name))), allowed },
  });
}

function person(principalId: string, can: readonly Permission[]): Caller {
  return { tenantId: 'tnt_toy', principalId, name: principalId, type: 'person', grants: [{ scope: '*', can }] };
}

const memory = z.object({ id: z.string(), content: z.string(), kind: z.string() });
type Memory = z.infer<typeof memory>;
const remembered = z.strictObject({ content: z.string().min(1), kind: z.enum(['lesson', 'policy', 'fact']), scope_key: z.string().optional() });

function toyOperations(): readonly Operation[] {
  const memories = new Map<string, Memory & { forgotten?: true }>();
  const find = (id: string) => {
    const found = memories.get(id);
    if (found === undefined) throw new Failure('not_found', 'No such memory.');
    if (found.forgotten) throw new Failure('gone', 'The memory was forgotten.');
    return { id: found.id, content: found.content, kind: found.kind };
  };
  const keep = ({ content, kind }: { content: string; kind: string }) => {
    const id = `mem_${Buffer.from(content).toString('base64url').slice(0, 40)}`;
    const known = memories.get(id);
    if (known !== undefined && known.kind !== kind) throw new Failure('conflict', 'The content is remembered as another kind.', { field: 'kind' });
    memories.set(id, { id, content, kind });
    return { memory: { id, content, kind }, created: known === undefined };
  };

  return [
    defineOperation({
      name: 'memory.remember',
      title: 'Remember',
      summary: 'Keeps one memory, or a batch of them.',
      permission: 'write',
      effect: 'write',
      idempotent: true,
      audited: true,
      maxItems: { memories: 256 },
      input: z.strictObject({ ...remembered.partial().shape, memories: z.array(z.record(z.string(), z.string())).optional() }),
      output: z.object({
        memory: memory.optional(),
        created: z.boolean().optional(),
        results: z.array(z.looseObject({ index: z.int(), ok: z.boolean() })).optional(),
        accepted: z.int().optional(),
        rejected: z.int().optional(),
      }),
      partial: (output) => (output.rejected ?? 0) > 0,
      example: { content: 'Run the tests before a release.', kind: 'lesson' },
      async run({ memories: batch, ...one }) {
        if (batch === undefined) return keep(judge(one, ''));
        if (batch.length > 256) throw new Failure('payload_too_large', 'The batch holds more than 256 memories.', { field: 'memories' });
        const results = batch.map((item, index) => {
          const parsed = remembered.safeParse(item);
          return parsed.success ? { index, ok: true, ...keep(parsed.data) } : { index, ok: false };
        });
        const accepted = results.filter(({ ok }) => ok).length;
        if (accepted === 0) throw new Failure('validation', 'No memory of the batch is valid.', { field: 'memories' });
        return { results, accepted, rejected: results.length - accepted };
      },
    }),
    defineOperation({
      name: 'memory.search',
      title: 'Search',
      summary: 'Finds memories.',
      permission: 'read',
      effect: 'read',
      idempotent: true,
      audited: false,
      input: z.strictObject({ query: z.string().optional(), limit: z.int().min(1).max(50).default(10) }),
      output: z.object({ hits: z.array(z.object({ memory })) }),
      example: { query: 'release' },
      async run({ query = '' }) {
        return {
          hits: [...memories.values()].filter(({ content }) => content.includes(query)).map(({ id, content, kind }) => ({ memory: { id, content, kind } })),
        };
      },
    }),
    defineOperation({
      name: 'memory.get',
      title: 'Get',
      summary: 'Shows one memory.',
      permission: 'read',
      effect: 'read',
      idempotent: true,
      audited: false,
      input: z.strictObject({ id: z.string() }),
      output: z.object({ memory }),
      example: { id: 'mem_example' },
      run: async ({ id }) => ({ memory: find(id) }),
    }),
    defineOperation({
      name: 'memory.forget',
      title: 'Forget',
      summary: 'Forgets one memory.',
      permission: 'write',
      effect: 'destroy',
      idempotent: true,
      audited: true,
      input: z.strictObject({ id: z.string() }),
      output: z.object({ id: z.string(), forgotten_at: z.string(), erased: z.boolean() }),
      example: { id: 'mem_example' },
      async run({ id }, { now }) {
        memories.set(id, { ...find(id), forgotten: true });
        return { id, forgotten_at: now.toISOString(), erased: false };
      },
    }),
  ];
}

function judge(input: unknown, at: string): z.infer<typeof remembered> {
  const parsed = remembered.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new Failure('validation', parsed.error.issues[0]?.message ?? '', { field: `${at}${parsed.error.issues[0]?.path.join('.')}` });
}
