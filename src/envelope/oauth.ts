import OAuth2Server from '@node-oauth/oauth2-server';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Caller } from '../auth/caller.ts';
import type { OAuthClients } from '../auth/oauth-clients.ts';
import { Failure } from '../failure.ts';
import type { GuessLimit } from '../limits/guessing.ts';
import { baseUrlFor } from './base-url.ts';
import { bodyLimitBytes } from './body.ts';
import { createOAuthModel, revocationGrant, revocationOf } from './oauth-model.ts';
import { traceOf } from './trace.ts';

export interface OAuthParts {
  clients: OAuthClients;
  /** Counts a token against the principal's rate. */
  limit(caller: Caller): Promise<void>;
  baseUrl: () => string;
  guesses: GuessLimit;
  takePlace: RequestHandler;
}

const lifetimeSeconds = 3600;

/**
 * Tokens for machines: RFC 6749 client credentials, RFC 7009 revocation. Requests are parsed by the library; errors have the shape
 * of RFC 6749 and the correlation id is in the header only.
 */
export function oauthRouter({ clients, limit, baseUrl, guesses, takePlace }: OAuthParts): Router {
  const server = new OAuth2Server({ model: createOAuthModel(clients, limit), accessTokenLifetime: lifetimeSeconds });
  const router = Router();
  router.use(express.urlencoded({ extended: false, limit: bodyLimitBytes }), takePlace);

  router.post('/token', notStored('token'), oneOfEach, resourceIsOurs(baseUrl), async (req, res) => {
    await answer(req, res, guesses, async (request, response) => {
      const token = await server.token(request, response);
      note(req, token);
      res.status(200).json(response.body);
    });
  });

  router.post('/revoke', notStored('revoke'), oneOfEach, async (req, res) => {
    await answer(req, res, guesses, async (request, response) => {
      request.body = { ...request.body, grant_type: revocationGrant };
      const token = await server.token(request, response, { extendedGrantTypes: { [revocationGrant]: revocationOf(clients) } });
      note(req, token);
      res.status(200).end();
    });
  });

  router.get('/authorize', (_req, res) => {
    res.status(400).json({ error: 'unsupported_response_type', error_description: 'Tokens are had with client credentials at the token endpoint only.' });
  });
  router.all(['/token', '/revoke'], (_req, res) => {
    res.status(405).set('Allow', 'POST').json({ error: 'invalid_request', error_description: 'Only POST is served here.' });
  });
  return router;
}

type Run = (request: OAuth2Server.Request, response: OAuth2Server.Response) => Promise<void>;

async function answer(req: Request, res: Response, guesses: GuessLimit, run: Run): Promise<void> {
  const credential = credentialOf(req);
  await guesses.admit(req.ip, credential);
  const request = new OAuth2Server.Request({ headers: req.headers as Record<string, string>, method: req.method, query: {}, body: req.body });
  const response = new OAuth2Server.Response();
  try {
    await run(request, response);
    guesses.proven(credential);
  } catch (error) {
    if (!(error instanceof OAuth2Server.OAuthError)) throw error;
    // What the store throws arrives wrapped; our own refusals and defects go the way that all others go.
    if ('inner' in error && !(error.inner instanceof OAuth2Server.OAuthError)) throw error.inner;
    if (error.name === 'invalid_client') {
      traceOf(req).code = 'unauthenticated';
      await guesses.failed(req.ip, credential);
    }
    if (response.headers?.['www-authenticate'] !== undefined) res.set('WWW-Authenticate', 'Basic realm="kneeboard"');
    res.status(error.code).json({ error: error.name, error_description: error.message });
  }
}

/** A client's id and secret, wherever they were put. */
function credentialOf({ headers, body }: Request): string {
  return JSON.stringify([headers.authorization, body?.client_id, body?.client_secret]);
}

function note(req: Request, token: OAuth2Server.Token): void {
  const { principalId } = token.user as Caller;
  traceOf(req).principalId = principalId;
}

function notStored(verb: string): RequestHandler {
  return (req, res, next) => {
    traceOf(req).verb = verb;
    res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    next();
  };
}

/** RFC 6749, section 3.2: parameters must not be sent twice. RFC 8707 lets `resource` be. */
const oneOfEach: RequestHandler = (req, _res, next) => {
  const twice = Object.entries(req.body ?? {}).find(([name, value]) => name !== 'resource' && Array.isArray(value));
  if (twice === undefined) return next();
  throw new Failure('validation', 'A parameter was sent twice.');
};

/** RFC 8707: a token for somebody else's service is refused; ours are good for this service alone. */
function resourceIsOurs(baseUrl: () => string): RequestHandler {
  return (req, res, next) => {
    const base = baseUrlFor(req, baseUrl());
    const ours = new Set([base, `${base}/`, `${base}/mcp`, `${base}/v1`]);
    const asked: unknown[] = [req.body?.resource ?? []].flat();
    if (asked.every((resource) => typeof resource === 'string' && ours.has(resource))) return next();
    res.status(400).json({ error: 'invalid_target', error_description: `The resource must be ${base}/mcp, or left out.` });
  };
}
