import { expect, it } from 'vitest';
import { createStore } from '../../src/store/store.ts';
import { describeEngines } from '../helpers/databases.ts';

describeEngines('credentials', (open) => {
  async function withMachine() {
    const database = await open();
    const { credentials } = createStore(database);
    await credentials.createTenant('acme');
    const { principalId, clientSecret } = await credentials.enroll('acme', { name: 'ci', type: 'machine', grants: [{ scope: 'repo:acme/*', can: ['read'] }] });
    return { database, credentials, principalId, clientSecret: clientSecret ?? '' };
  }
  const now = new Date();

  it('proves a caller by a token until it is revoked', async () => {
    const { credentials, principalId } = await withMachine();
    const { token, credentialId } = await credentials.issue('acme', principalId, { label: 'x' });
    expect(token).toMatch(/^kbt_acme_[\w-]{43}$/);
    expect(await credentials.authenticate(token, now)).toEqual({
      tenantId: 'acme',
      principalId,
      name: 'ci',
      type: 'machine',
      grants: [{ scope: 'repo:acme/*', can: ['read'] }],
    });
    expect(await credentials.revoke('acme', { credentialId }, now)).toBe(true);
    expect(await credentials.revoke('acme', { credentialId }, now)).toBe(false);
    expect(await credentials.authenticate(token, now)).toBeUndefined();
  });

  it('takes no token that is unknown, altered, expired or of another tenant', async () => {
    const { credentials, principalId } = await withMachine();
    await credentials.createTenant('rival');
    const { token } = await credentials.issue('acme', principalId, { label: 'x', expiresAt: new Date(now.getTime() + 1_000) });
    expect(await credentials.authenticate(token, now)).toBeDefined();
    expect(await credentials.authenticate(token, new Date(now.getTime() + 1_000))).toBeUndefined();
    for (const other of ['', 'x', `${token}x`, token.replace('acme', 'rival'), token.toUpperCase(), `kbt_acme_${'A'.repeat(43)}`])
      expect(await credentials.authenticate(other, now)).toBeUndefined();
  });

  it('keeps neither tokens nor secrets in clear', async () => {
    const { database, credentials, principalId, clientSecret } = await withMachine();
    const { token } = await credentials.issue('acme', principalId, { label: 'x' });
    for (const table of ['principal', 'credential']) {
      const rows = await database.query<{ row: string }>(`select t::text as row from ${table} t`);
      for (const { row } of rows) for (const secret of [token, token.slice(9), clientSecret, clientSecret.slice(4)]) expect(row).not.toContain(secret);
    }
  });

  it('proves a machine by its client id and secret, and nobody else', async () => {
    const { credentials, principalId, clientSecret } = await withMachine();
    expect(await credentials.verifyClient(`acme.${principalId}`, clientSecret)).toMatchObject({ principalId, type: 'machine' });
    const person = await credentials.enroll('acme', { name: 'mira', type: 'person', grants: [] });
    for (const [id, secret] of [
      [`acme.${principalId}`, `${clientSecret}x`],
      [`acme.${principalId}`, ''],
      [principalId, clientSecret],
      [`rival.${principalId}`, clientSecret],
      [`acme.${person.principalId}`, ''],
    ] as const) {
      expect(await credentials.verifyClient(id, secret)).toBeUndefined();
    }
  });

  it('sweeps tokens away a while after they expired', async () => {
    const { credentials, principalId } = await withMachine();
    await credentials.issue('acme', principalId, { label: 'old', expiresAt: new Date(now.getTime() - 1_000) });
    await credentials.issue('acme', principalId, { label: 'lasting' });
    await credentials.removeExpired(now);
    expect((await credentials.list('acme')).map(({ label }) => label)).toEqual(['lasting']);
  });
});
