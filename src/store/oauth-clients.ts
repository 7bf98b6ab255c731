import type { OAuthClients } from '../auth/oauth-clients.ts';
import type { Store } from './store.ts';

/** Machine principals and their short-lived access tokens, for the token endpoint. */
export function createOAuthClients(store: Pick<Store, 'credentials'>): OAuthClients {
  const { credentials } = store;
  return {
    verifyClient: (clientId, secret) => credentials.verifyClient(clientId, secret),
    async issueAccessToken({ tenantId, principalId }, expiresAt) {
      return (await credentials.issue(tenantId, principalId, { label: 'access token', expiresAt })).token;
    },
    async revoke(token, { tenantId, principalId }) {
      await credentials.revoke(tenantId, { token, principalId }, new Date());
    },
  };
}
