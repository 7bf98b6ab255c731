import { expect } from 'vitest';
import type { Caller, Permission } from '../../src/auth/caller.ts';
import type { FailureCode } from '../../src/failure.ts';
import { memoryId } from '../../src/memory/identity.ts';
import { applicable, grantCovers, type Item, type Scope, type SearchStep } from './world.ts';

/** A refusal that is foretold: its code, the field it names and the keys of its details. */
export class Refused extends Error {
  readonly code: FailureCode;
  readonly field: string | undefined;
  readonly details: readonly string[];
  constructor(code: FailureCode, field?: string, details: readonly string[] = []) {
    super(code);
    this.code = code;
    this.field = field;
    this.details = details;
  }
}

type Rule = NonNullable<Item['rule']>;
interface Line {
  no: number;
  revision: number;
  change: string;
  at: number;
  by: Caller;
  kind: string;
  tags: readonly string[];
  reason: string | undefined;
}

export interface Mem {
  tenant: string;
  no: number;
  id: string;
  content: string;
  scope: Scope;
  kind: string;
  tags: readonly string[];
  rule: Rule | undefined;
  source: { title: string } | undefined;
  checkId: string | undefined;
  revision: number;
  createdAt: number;
  expiresAt: number | undefined;
  author: Caller;
  corroborations: { by: Caller; at: number; source: { title: string } | undefined }[];
  supersededBy: string | undefined;
  supersededAt: number | undefined;
  supersedes: string[];
  forgottenAt: number | undefined;
  erased: boolean;
  lines: Line[];
}

interface Draft {
  content: string;
  kind: string;
  scope: Scope;
  tags?: readonly string[] | undefined;
  source?: { title: string } | undefined;
  rule?: Rule | undefined;
  expiresAt?: number | undefined;
  checkId?: string | undefined;
}

interface Changes {
  content?: string;
  kind?: string;
  tags?: readonly string[];
}

export const holds = (caller: Caller, permission: Permission, scope: Scope) =>
  caller.grants.some(({ scope: pattern, can }) => can.includes(permission) && grantCovers(pattern, scope));

export function mustHoldSomewhere(caller: Caller, permission: Permission): void {
  if (!caller.grants.some(({ can }) => can.includes(permission))) throw new Refused('forbidden', undefined, ['permission']);
}

export function mustHold(caller: Caller, permission: Permission, scope: Scope): void {
  if (!holds(caller, permission, scope)) throw new Refused('forbidden', 'scope_key', ['permission', 'scope_key']);
}

/** All memories of all tenants in a list, and what each verb does to it by the words of the design. */
export function createOracle() {
  const memories: Mem[] = [];
  let lines = 0;
  const byId = (id: string) => memories.find((memory) => memory.id === id);
  const isGone = (memory: Mem, now: number) => memory.forgottenAt !== undefined || (memory.expiresAt ?? Infinity) <= now;

  function visible(caller: Caller, id: string): Mem {
    const memory = memories.find((one) => one.tenant === caller.tenantId && one.id === id);
    if (!memory || !holds(caller, 'read', memory.scope)) throw new Refused('not_found', 'id');
    return memory;
  }

  function goneRefusal(memory: Mem, expiry: boolean): Refused {
    return new Refused('gone', 'id', [
      ...(memory.forgottenAt === undefined ? [] : ['forgotten_at']),
      ...(expiry && memory.expiresAt !== undefined ? ['expires_at'] : []),
      ...(memory.supersededBy === undefined ? [] : ['superseded_by']),
    ]);
  }

  function note(memory: Mem, by: Caller, at: number, change: string, state: Partial<Line> = {}): void {
    const { revision, kind, tags } = memory;
    lines += 1;
    memory.lines.push({ no: lines, revision, kind, tags, change, at, by, reason: undefined, ...state });
  }

  function changeable(caller: Caller, id: string): Mem {
    const memory = visible(caller, id);
    mustHold(caller, 'write', memory.scope);
    if (memory.kind === 'policy') mustHold(caller, 'govern', memory.scope);
    return memory;
  }

  function refuseContradiction(memory: Mem, draft: Draft): void {
    if (memory.kind !== draft.kind) throw new Refused('conflict', 'kind', ['id', 'kind', 'revision']);
    if (draft.rule && JSON.stringify(draft.rule) !== JSON.stringify(memory.rule)) throw new Refused('conflict', 'rule', ['id', 'revision']);
  }

  /** Judges a draft and says how to store it, so that a batch can store new ones before those that come back. */
  function judge(caller: Caller, draft: Draft, now: number): { fresh: boolean; store(): Mem } {
    const id = memoryId(caller.tenantId, draft.scope, draft.content);
    const known = byId(id);
    const { content, scope, kind, rule, source, expiresAt, checkId, tags = [] } = draft;
    if (!known) {
      const store = () => {
        const memory: Mem = {
          ...{ tenant: caller.tenantId, no: memories.length, id, content, scope, kind, tags, rule, source, checkId, expiresAt },
          ...{ revision: 1, createdAt: now, author: caller, corroborations: [], supersededBy: undefined, supersededAt: undefined },
          ...{ supersedes: [], forgottenAt: undefined, erased: false, lines: [] },
        };
        memories.push(memory);
        note(memory, caller, now, 'remembered');
        return memory;
      };
      return { fresh: true, store };
    }
    const back = isGone(known, now);
    if (!back) refuseContradiction(known, draft);
    // What governs comes back only at the word of someone who governs.
    else if (known.kind === 'policy') mustHold(caller, 'govern', scope);
    const store = () => {
      if (back) {
        Object.assign(known, { content, kind, tags, rule, expiresAt, revision: known.revision + 1, source: source ?? known.source });
        Object.assign(known, { forgottenAt: undefined, erased: false, supersededBy: undefined, supersededAt: undefined });
        note(known, caller, now, 'revived');
      }
      const others = known.corroborations;
      if (known.author.principalId !== caller.principalId && !others.some(({ by }) => by.principalId === caller.principalId)) {
        others.push({ by: caller, at: now, source });
      }
      return known;
    };
    return { fresh: false, store };
  }

  function mayWrite(caller: Caller, draft: Draft): void {
    mustHold(caller, 'write', draft.scope);
    if (draft.kind === 'policy') mustHold(caller, 'govern', draft.scope);
  }

  function passes(memory: Mem, asked: SearchStep, asOf: number | undefined, now: number): boolean {
    if (isGone(memory, now)) return false;
    const inForce =
      asOf === undefined ? memory.supersededBy === undefined : memory.createdAt <= asOf && (memory.supersededAt === undefined || memory.supersededAt > asOf);
    return inForce && (asked.kinds?.includes(memory.kind) ?? true) && (asked.tags?.every((tag) => memory.tags.includes(tag)) ?? true);
  }

  function searched(asked: SearchStep): readonly Scope[] | undefined {
    if (asked.exact) return [asked.scope ?? null];
    return asked.scope === undefined ? undefined : applicable(asked.scope);
  }

  const oracle = {
    memories,
    byId,

    rememberOne(caller: Caller, draft: Draft, now: number): Mem {
      mustHoldSomewhere(caller, 'write');
      mayWrite(caller, draft);
      return judge(caller, draft, now).store();
    },

    /** In the order of the drafts: the memory, or why not. New ones are stored first. */
    rememberAll(caller: Caller, drafts: readonly Draft[], now: number): (Mem | Refused)[] {
      const judged = drafts.map((draft) => {
        try {
          mayWrite(caller, draft);
          return judge(caller, draft, now);
        } catch (error) {
          if (error instanceof Refused) return error;
          throw error;
        }
      });
      const stored = new Map<number, Mem>();
      for (const fresh of [true, false]) {
        judged.forEach((one, at) => {
          if (!(one instanceof Refused) && one.fresh === fresh) stored.set(at, one.store());
        });
      }
      return judged.map((one, at) => (one instanceof Refused ? one : (stored.get(at) as Mem)));
    },

    get(caller: Caller, id: string, now: number): Mem {
      mustHoldSomewhere(caller, 'read');
      const memory = visible(caller, id);
      if (isGone(memory, now)) throw goneRefusal(memory, true);
      return memory;
    },

    revise(caller: Caller, id: string, changes: Changes, expected: number | undefined, reason: string | undefined, now: number) {
      mustHoldSomewhere(caller, 'write');
      const seen = visible(caller, id);
      if (seen.forgottenAt !== undefined) throw goneRefusal(seen, false);
      const memory = changeable(caller, id);
      if (isGone(memory, now)) throw goneRefusal(memory, true);
      if (memory.supersededBy !== undefined) throw new Refused('conflict', 'id', ['revision', 'superseded_by']);
      if (expected !== undefined && expected !== memory.revision) throw new Refused('conflict', 'expected_revision', ['revision']);
      if (changes.kind === 'policy') mustHold(caller, 'govern', memory.scope);
      const next = { kind: changes.kind ?? memory.kind, tags: changes.tags ?? memory.tags, rule: memory.rule, expiresAt: memory.expiresAt };
      if (next.rule && next.kind !== 'policy' && next.kind !== 'lesson') throw new Refused('validation', 'rule');
      if (changes.content === undefined || changes.content === memory.content) {
        Object.assign(memory, next, { revision: memory.revision + 1 });
        note(memory, caller, now, 'revised', { reason });
        return { memory };
      }
      const successor = judge(caller, { ...next, content: changes.content, scope: memory.scope }, now).store();
      const restored = successor.supersededBy !== undefined;
      successor.revision = Math.max(memory.revision, successor.revision) + 1;
      successor.supersedes = [...successor.supersedes.filter((one) => one !== id), id];
      Object.assign(successor, { supersededBy: undefined, supersededAt: undefined });
      Object.assign(memory, { supersededBy: successor.id, supersededAt: now });
      note(memory, caller, now, 'superseded', { reason });
      note(successor, caller, now, restored ? 'restored' : 'revised', { reason, kind: next.kind, tags: next.tags });
      return { memory: successor, supersedes: id };
    },

    forget(caller: Caller, id: string, erase: boolean, reason: string | undefined, now: number) {
      mustHoldSomewhere(caller, 'write');
      const memory = changeable(caller, id);
      const first = memory.forgottenAt === undefined;
      const erasing = erase && !memory.erased;
      const tags = erasing ? [] : memory.tags;
      if (first) Object.assign(memory, { forgottenAt: now, revision: memory.revision + 1 });
      if (erasing) {
        Object.assign(memory, { tags: [], rule: undefined, source: undefined, erased: true });
        for (const line of memory.lines) Object.assign(line, { reason: undefined, tags: [] });
        for (const other of memory.corroborations) other.source = undefined;
      }
      if (first || erasing) note(memory, caller, now, erasing ? 'erased' : 'forgotten', { reason, tags });
      return { id, forgotten_at: iso(memory.forgottenAt ?? now), erased: memory.erased || erase };
    },

    /** Everything a search may bring back, newest first. */
    search(caller: Caller, asked: SearchStep, asOf: number | undefined, now: number): Mem[] {
      mustHoldSomewhere(caller, 'read');
      const within = searched(asked);
      return oracle.inScopes(caller, within).filter((memory) => passes(memory, asked, asOf, now));
    },

    /** What the caller may read in those scopes, in whatever state, newest first. */
    inScopes(caller: Caller, within: readonly Scope[] | undefined): Mem[] {
      return memories
        .filter(({ tenant, scope }) => tenant === caller.tenantId && holds(caller, 'read', scope) && (within?.includes(scope) ?? true))
        .sort((a, b) => b.createdAt - a.createdAt || b.no - a.no);
    },

    inForce: (memory: Mem, now: number) => !isGone(memory, now) && memory.supersededBy === undefined,

    /** As a caller sees it, every field. */
    view(memory: Mem, now: number) {
      const { id, content, kind, scope, tags, rule, revision, createdAt, expiresAt, supersededBy, author, source, checkId, supersedes } = memory;
      const at = iso(createdAt);
      return {
        ...{ id, content, kind, scope_key: scope, tags, revision, created_at: at, embedding: 'ready', flags: expect.any(Array) },
        status: isGone(memory, now) ? 'expired' : supersededBy === undefined ? 'live' : 'superseded',
        ...(rule && { rule }),
        ...(expiresAt !== undefined && { expires_at: iso(expiresAt) }),
        ...(supersededBy !== undefined && { superseded_by: supersededBy }),
        provenance: {
          principal: named(author),
          at,
          revision,
          corroborations: memory.corroborations.map(({ by, at, source }) => ({ principal: named(by), at: iso(at), ...(source && { source }) })),
          ...(source && { source }),
          ...(checkId !== undefined && { check_id: checkId }),
          ...(supersedes.length > 0 && { supersedes }),
        },
      };
    },

    history(memory: Mem) {
      const lineage = new Set<Mem>([memory]);
      // A set grows while it is walked.
      for (const one of lineage) for (const before of memories) if (one.supersedes.includes(before.id)) lineage.add(before);
      return [...lineage]
        .flatMap(({ id, lines }) => lines.map((line) => ({ id, ...line })))
        .sort((a, b) => a.no - b.no)
        .map(({ id, revision, change, at, by, kind, tags, reason }) => ({
          ...{ memory_id: id, revision, change, at: iso(at), principal: named(by), kind, tags },
          ...(reason !== undefined && { reason }),
        }));
    },
  };
  return oracle;
}
export type Oracle = ReturnType<typeof createOracle>;

export const iso = (ms: number) => new Date(ms).toISOString();
export const named = ({ principalId, name, type }: Caller) => ({ id: principalId, name, type });
