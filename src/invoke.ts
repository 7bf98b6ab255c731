import type { Caller } from './auth/caller.ts';
import { canSomewhere } from './auth/grants.ts';
import type { Context } from './context.ts';
import type { Embedder } from './embedding/embedder.ts';
import { errorBody, Failure } from './failure.ts';
import type { Operation } from './operation.ts';
import { parseInput } from './parse.ts';
import type { RankingProfile } from './ranking/profile.ts';
import { analyze } from './ranking/terms.ts';
import type { Call, Outcome, Service } from './service.ts';
import type { Store } from './store/store.ts';

/** What the service is made of. */
export interface Parts {
  operations: readonly Operation[];
  store: Store;
  embedder: Embedder;
  profile: RankingProfile;
  /** Counts one request of a principal. @throws Failure `rate_limited` */
  countRequest(key: string): Promise<void>;
  /** Defects and their causes go here, once. */
  reportDefect(error: unknown, requestId: string): void;
  now(): Date;
}

export function createService(parts: Parts): Service {
  const { store, embedder } = parts;
  const table = new Map(parts.operations.map((operation) => [operation.name, operation]));

  async function authenticate(authorization: string | undefined): Promise<Caller> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const caller = token === undefined ? undefined : await store.credentials.authenticate(token, parts.now());
    if (caller) return caller;
    throw new Failure(
      'unauthenticated',
      token === undefined ? 'Send a credential: Authorization: Bearer <token>.' : 'The credential is unknown, expired or revoked.',
    );
  }

  const limit = (caller: Caller) => parts.countRequest(`${caller.tenantId}/${caller.principalId}`);

  return {
    operations: parts.operations,
    authenticate,
    limit,

    async invoke(verb, input, call) {
      const now = parts.now();
      const operation = table.get(verb);
      let caller: Caller | undefined;
      let outcome: Outcome;
      try {
        caller = await call.identify();
        const found = requireOperation(operation, verb, parts.operations);
        permit(found, caller);
        await limit(caller);
        refuseSurplus(found, input);
        const parsed = parseInput(found.input, input);
        const output = found.output.parse(await found.run(parsed, contextFor(parts, caller, call, now)));
        outcome = { ok: true, output, partial: found.partial?.(output) ?? false, principalId: caller.principalId };
      } catch (error) {
        if (!(error instanceof Failure) || error.cause !== undefined) parts.reportDefect(error, call.requestId);
        outcome = { ok: false, error: errorBody(error, call.requestId), ...(caller && { principalId: caller.principalId }) };
      }
      return caller && operation?.audited ? audit(parts, operation, caller, call, now, outcome) : outcome;
    },

    async readiness() {
      const [database, model] = await Promise.all([works(() => store.ping()), works(() => embedder.embed(['ready'], 'query'))]);
      return { ready: database && model, database, model };
    },
  };
}

function requireOperation(operation: Operation | undefined, verb: string, operations: readonly Operation[]): Operation {
  if (operation) return operation;
  const allowed = operations.map(({ name }) => name);
  const meant = allowed.find((name) =>
    verb
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
      .endsWith(name.replaceAll('.', '')),
  );
  throw new Failure('not_found', `There is no verb of that name.${meant === undefined ? '' : ` Its canonical name is ${meant}.`}`, {
    details: { ...(meant !== undefined && { did_you_mean: meant }), allowed },
  });
}

/** Whether the caller holds the verb's permission at all; on which scopes is judged where the scope is known. */
function permit(operation: Operation, caller: Caller): void {
  if (canSomewhere(caller, operation.permission)) return;
  throw new Failure('forbidden', `This credential has no \`${operation.permission}\` grant.`, { details: { permission: operation.permission } });
}

function refuseSurplus(operation: Operation, input: unknown): void {
  for (const [field, most] of Object.entries(operation.maxItems ?? {})) {
    const value = (input as Record<string, unknown> | null | undefined)?.[field];
    if (Array.isArray(value) && value.length > most) {
      throw new Failure('payload_too_large', `\`${field}\` holds ${value.length} items; at most ${most} go into one request. Nothing was written.`, {
        field,
        details: { limit: most },
      });
    }
  }
}

function contextFor({ store, embedder, profile }: Parts, caller: Caller, { requestId }: Call, now: Date): Context {
  return {
    caller,
    requestId,
    now,
    reader: store.reader(caller, now),
    ownWrites: store.reader(caller, now, 'write'),
    writer: store.writer({ caller, now, requestId, termsOf: (content, occurredAt) => analyze(content, occurredAt).terms.keys() }),
    checks: store.checks(caller, now),
    embedder,
    profile,
  };
}

/** A write whose audit row cannot be kept is reported as failed: it may be sent again, since verbs that write can be repeated. */
async function audit(parts: Parts, operation: Operation, caller: Caller, { requestId }: Call, at: Date, outcome: Outcome): Promise<Outcome> {
  try {
    await parts.store.audit({
      tenantId: caller.tenantId,
      at,
      requestId,
      principalId: caller.principalId,
      event: operation.name,
      outcome: outcome.ok ? (outcome.partial ? 'partial' : 'ok') : outcome.error.code,
      subjects: outcome.ok ? subjectsOf(outcome.output) : [],
    });
    return outcome;
  } catch (error) {
    if (!outcome.ok) return outcome;
    parts.reportDefect(error, requestId);
    return { ok: false, error: errorBody(error, requestId), principalId: caller.principalId };
  }
}

/** Ids that an output names at its first level or in its results. */
function subjectsOf(output: Record<string, unknown>): string[] {
  const {
    id,
    check_id: checkId,
    memory,
    results,
  } = output as { id?: string; check_id?: string; memory?: { id: string }; results?: { memory?: { id: string } }[] };
  return [id, checkId, memory?.id, ...(results ?? []).map((result) => result.memory?.id)].filter((subject) => subject !== undefined);
}

async function works(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch {
    return false;
  }
}
