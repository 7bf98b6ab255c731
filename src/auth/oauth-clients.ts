import type { Caller } from './caller.ts';

/** What the token endpoint asks of the store. All three throw Failure `dependency_unavailable` when it is down. */
export interface OAuthClients {
  /** The machine principal that a client id and its secret prove; undefined when they do not. */
  verifyClient(clientId: string, secret: string): Promise<Caller | undefined>;
  /** A new access token of the principal, in clear this one time. */
  issueAccessToken(caller: Caller, expiresAt: Date): Promise<string>;
  /** Ends an access token of this very principal; a token that is unknown or another's is left alone without a word (RFC 7009). */
  revoke(token: string, caller: Caller): Promise<void>;
}
