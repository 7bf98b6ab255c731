import OAuth2Server from '@node-oauth/oauth2-server';
import type { Caller } from '../auth/caller.ts';
import type { OAuthClients } from '../auth/oauth-clients.ts';

/** The library knows no RFC 7009. As a grant that only `/oauth/revoke` offers, a revocation gets its parsing and its proof of clients. */
export const revocationGrant = 'urn:kneeboard:revocation';

/** The store as the library wants to see it. */
export function createOAuthModel(clients: OAuthClients, limit: (caller: Caller) => Promise<void>): OAuth2Server.ClientCredentialsModel {
  return {
    async getClient(clientId, secret) {
      const caller = await clients.verifyClient(clientId, secret);
      return caller === undefined ? undefined : { id: clientId, grants: ['client_credentials', revocationGrant], caller };
    },
    async getUserFromClient(client) {
      await limit(client.caller);
      return client.caller;
    },
    // The library would make the token itself; the store makes ours, so that only its hash is ever kept.
    generateAccessToken: async () => 'made by the store',
    async saveToken(token, client, user) {
      const expiresAt = token.accessTokenExpiresAt;
      if (expiresAt === undefined) throw new TypeError('an access token must expire');
      const accessToken = await clients.issueAccessToken(client.caller, expiresAt);
      return { accessToken, accessTokenExpiresAt: expiresAt, client, user };
    },
    // Requests are authenticated by the service, never by the library.
    getAccessToken: async () => undefined,
  };
}

export function revocationOf(clients: OAuthClients): typeof OAuth2Server.AbstractGrantType {
  return class Revocation extends OAuth2Server.AbstractGrantType {
    override async handle(request: OAuth2Server.Request, client: OAuth2Server.Client): Promise<OAuth2Server.Token> {
      const token: unknown = request.body?.token;
      if (typeof token !== 'string' || token === '') throw new OAuth2Server.InvalidRequestError('Missing parameter: `token`');
      await clients.revoke(token, client.caller);
      return { accessToken: token, client, user: client.caller };
    }
  };
}
