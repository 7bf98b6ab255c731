import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller, Grant, PrincipalType } from '../auth/caller.ts';
import { Failure } from '../failure.ts';
import { newId } from '../ids.ts';
import type { Sql } from './engine/database.ts';

export interface CredentialInfo {
  credentialId: string;
  principalId: string;
  principalName: string;
  label: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** Tenants, principals and their credentials. Tokens are 256 random bits and only their SHA-256 is stored. */
export interface Credentials {
  /** The caller that a bearer token proves; undefined for an unknown, expired or revoked one. */
  authenticate(token: string, now: Date): Promise<Caller | undefined>;
  createTenant(tenantId: string): Promise<void>;
  hasTenants(): Promise<boolean>;
  enroll(tenantId: string, principal: { name: string; type: PrincipalType; grants: readonly Grant[] }): Promise<{ principalId: string; clientSecret?: string }>;
  findPrincipal(tenantId: string, idOrName: string): Promise<Caller | undefined>;
  /** `token` sets the token's text, for containers. The text is never readable again. */
  issue(
    tenantId: string,
    principalId: string,
    options: { label: string; expiresAt?: Date | undefined; token?: string | undefined },
  ): Promise<{ credentialId: string; token: string }>;
  list(tenantId: string): Promise<CredentialInfo[]>;
  /** By credential id, or by the token itself and whose it is. @returns whether there was one to revoke. */
  revoke(tenantId: string, which: { credentialId: string } | { token: string; principalId: string }, now: Date): Promise<boolean>;
  /** Takes away the rows of tokens that expired before a moment. */
  removeExpired(before: Date): Promise<void>;
  /** A machine principal by client id and secret. */
  verifyClient(clientId: string, secret: string): Promise<Caller | undefined>;
}

export const defaultTenant = 'default';
const tenantPattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** The tenant rides in the token, so that looking a token up stays within one tenant; `kbt_` lets secret scanners know it. */
const tokenPattern = /^kbt_([a-z0-9][a-z0-9-]{0,39})_[A-Za-z0-9_-]{43}$/;
const clientIdPattern = /^([a-z0-9][a-z0-9-]{0,39})\.(prn_[0-9a-z]{26})$/;

interface PrincipalRow {
  principal_id: string;
  name: string;
  type: PrincipalType;
  grants: Grant[];
}

export function createCredentials(sql: Sql): Credentials {
  return {
    async authenticate(token, now) {
      const tenantId = tenantOf(token);
      const [row] = await sql.query<PrincipalRow & { stale: boolean }>(
        `select w.principal_id, w.name, w.type, w.grants, coalesce(c.last_used_at < $3::timestamptz - interval '1 minute', true) as stale
from credential c join principal w on w.tenant_id = $1 and w.principal_id = c.principal_id
where c.tenant_id = $1 and c.token_hash = $2 and c.revoked_at is null and w.disabled_at is null and (c.expires_at is null or c.expires_at > $3)`,
        [tenantId, sha256(token), now],
      );
      if (!row) return undefined;
      // To the minute is exact enough, and keeps reads from writing.
      if (row.stale) await sql.query('update credential set last_used_at = $3 where tenant_id = $1 and token_hash = $2', [tenantId, sha256(token), now]);
      return toCaller(tenantId, row);
    },
    async createTenant(tenantId) {
      if (!tenantPattern.test(tenantId)) {
        throw new Failure('validation', `"${tenantId}" is no tenant name: 1 to 40 of a-z 0-9 -, starting with a letter or digit.`, { field: 'tenant' });
      }
      const rows = await sql.query('insert into tenant (tenant_id) values ($1) on conflict do nothing returning tenant_id', [tenantId]);
      if (rows.length === 0) throw new Failure('conflict', `The tenant ${tenantId} exists already.`, { field: 'tenant' });
    },
    async hasTenants() {
      return (await sql.query('select from tenant limit 1')).length > 0;
    },
    async enroll(tenantId, { name, type, grants }) {
      const principalId = newId('prn');
      const secret = type === 'machine' ? `kbs_${randomBytes(32).toString('base64url')}` : undefined;
      const rows = await sql.query(
        `insert into principal (tenant_id, principal_id, name, type, grants, secret_hash)
select $1, $2, $3, $4, $5::jsonb, $6 from tenant where tenant_id = $1
on conflict (tenant_id, name) do nothing
returning principal_id`,
        [tenantId, principalId, name, type, JSON.stringify(grants), secret ? sha256(secret) : null],
      );
      if (rows.length === 0) {
        const known = await sql.query('select from tenant where tenant_id = $1', [tenantId]);
        throw known.length === 0
          ? new Failure('not_found', `There is no tenant ${tenantId}. Make it with: kneeboard tenant create ${tenantId}`, { field: 'tenant' })
          : new Failure('conflict', `The tenant ${tenantId} has a principal named ${name} already.`, { field: 'name' });
      }
      return { principalId, ...(secret !== undefined && { clientSecret: secret }) };
    },
    async findPrincipal(tenantId, idOrName) {
      const [row] = await sql.query<PrincipalRow>(
        'select principal_id, name, type, grants from principal where tenant_id = $1 and (principal_id = $2 or name = $2)',
        [tenantId, idOrName],
      );
      return row && toCaller(tenantId, row);
    },
    async issue(tenantId, principalId, { label, expiresAt, token: given }) {
      const token = given ?? `kbt_${tenantId}_${randomBytes(32).toString('base64url')}`;
      const credentialId = newId('crd');
      await sql.query('insert into credential (tenant_id, token_hash, credential_id, principal_id, label, expires_at) values ($1, $2, $3, $4, $5, $6)', [
        tenantId,
        sha256(token),
        credentialId,
        principalId,
        label,
        expiresAt ?? null,
      ]);
      return { credentialId, token };
    },
    async list(tenantId) {
      const rows = await sql.query<
        Record<'credential_id' | 'principal_id' | 'name' | 'label', string> & { created_at: Date } & Record<
            'expires_at' | 'revoked_at' | 'last_used_at',
            Date | null
          >
      >(
        `select c.credential_id, c.principal_id, w.name, c.label, c.created_at, c.expires_at, c.revoked_at, c.last_used_at
from credential c join principal w on w.tenant_id = $1 and w.principal_id = c.principal_id
where c.tenant_id = $1
order by c.created_at`,
        [tenantId],
      );
      return rows.map((row) => ({
        credentialId: row.credential_id,
        principalId: row.principal_id,
        principalName: row.name,
        label: row.label,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
        lastUsedAt: row.last_used_at,
      }));
    },
    async revoke(tenantId, which, now) {
      const rows =
        'token' in which
          ? await sql.query(
              'update credential set revoked_at = $4 where tenant_id = $1 and token_hash = $2 and principal_id = $3 and revoked_at is null returning credential_id',
              [tenantId, sha256(which.token), which.principalId, now],
            )
          : await sql.query(
              'update credential set revoked_at = $3 where tenant_id = $1 and credential_id = $2 and revoked_at is null returning credential_id',
              [tenantId, which.credentialId, now],
            );
      return rows.length > 0;
    },
    async removeExpired(before) {
      await sql.query('delete from credential where expires_at < $1', [before]);
    },
    async verifyClient(clientId, secret) {
      const [, tenantId, principalId] = clientIdPattern.exec(clientId) ?? [];
      if (tenantId === undefined || principalId === undefined) return undefined;
      const [row] = await sql.query<PrincipalRow & { secret_hash: string }>(
        'select principal_id, name, type, grants, secret_hash from principal where tenant_id = $1 and principal_id = $2 and secret_hash is not null and disabled_at is null',
        [tenantId, principalId],
      );
      return row && timingSafeEqual(Buffer.from(row.secret_hash), Buffer.from(sha256(secret))) ? toCaller(tenantId, row) : undefined;
    },
  };
}

/** A client id names its tenant too, for the same reason as a token. */
export function clientIdOf(tenantId: string, principalId: string): string {
  return `${tenantId}.${principalId}`;
}

/** Tokens that an operator made up belong to the default tenant. */
export function tenantOf(token: string): string {
  return tokenPattern.exec(token)?.[1] ?? defaultTenant;
}

function toCaller(tenantId: string, row: PrincipalRow): Caller {
  return { tenantId, principalId: row.principal_id, name: row.name, type: row.type, grants: row.grants };
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
