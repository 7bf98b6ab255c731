import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { OAuthClients } from '../auth/oauth-clients.ts';
import type { Config } from '../config.ts';
import { Failure } from '../failure.ts';
import { bounds } from '../limits/bounds.ts';
import { createGuessLimit } from '../limits/guessing.ts';
import { createInFlight, type InFlight } from '../limits/in-flight.ts';
import type { Logger } from '../logger.ts';
import { limits as fieldLimits } from '../memory/memory.ts';
import type { Service } from '../service.ts';
import { createChallenge } from './challenge.ts';
import { mcpRouter } from './mcp.ts';
import { createMetrics } from './metrics.ts';
import { oauthRouter } from './oauth.ts';
import { checkOrigin } from './origin.ts';
import { publicRouter } from './public.ts';
import { createRefusals } from './refusals.ts';
import { restRouter } from './rest.ts';
import { traceRequests } from './trace.ts';
import { wellKnownRouter } from './well-known.ts';

export interface AppParts {
  service: Service;
  /** A limit that is absent does not apply. */
  config: Pick<Config, 'rateLimit' | 'allowedOrigins'> & Partial<Pick<Config, 'guessLimit' | 'maxInFlight' | 'proxyHops'>>;
  logger: Logger;
  /** The base address as clients see it, without a slash at the end; asked late because port 0 is known only once bound. */
  baseUrl: () => string;
  /** Absent: no token endpoint is served, and nothing points at one. */
  oauth?: OAuthClients;
}

/** The order of the lines below is the way of a request through the service. */
export function createApp({ service, config, logger, baseUrl, oauth }: AppParts): Express {
  const metrics = createMetrics();
  const hasTokenEndpoint = oauth !== undefined;
  const refusals = createRefusals(logger, createChallenge(baseUrl, hasTokenEndpoint));
  const { guessLimit = Number.POSITIVE_INFINITY, maxInFlight = Number.POSITIVE_INFINITY } = config;
  const guesses = createGuessLimit({ perMinute: guessLimit });
  const inFlight = createInFlight({ limit: maxInFlight });
  const takePlace = takePlaceIn(inFlight);
  const door = { service, guesses, inFlight };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.proxyHops ?? 0);
  app.use(traceRequests(logger, metrics));
  app.use(helmet());
  app.use(requireHost);
  app.use(checkOrigin(baseUrl, config.allowedOrigins));
  app.use('/v1', restRouter(door, refusals));
  app.use('/mcp', mcpRouter({ door, refusals, logger, limits: limitsOf(service, config) }));
  if (oauth !== undefined) {
    app.use('/oauth', oauthRouter({ clients: oauth, limit: (caller) => service.limit(caller), baseUrl, guesses, takePlace }));
    app.use('/.well-known', wellKnownRouter(baseUrl));
  }
  app.use(publicRouter({ service, metrics, baseUrl, hasTokenEndpoint, takePlace }));
  app.use(() => {
    throw new Failure('not_found', 'There is nothing at this address.');
  });
  app.use(refusals.handle);
  return app;
}

/** What a client may send, for `server/discover`. */
function limitsOf({ operations }: Service, { rateLimit, guessLimit, maxInFlight }: AppParts['config']): Record<string, unknown> {
  const items = operations.flatMap(({ name, maxItems }) => (maxItems === undefined ? [] : [[name, maxItems] as const]));
  const { contentChars, tags, tagChars, sourceChars, reasonChars, queryChars, pageItems } = fieldLimits;
  return {
    requests_per_minute: rateLimit,
    ...(guessLimit !== undefined && { failed_credentials_per_minute: guessLimit }),
    ...(maxInFlight !== undefined && { requests_in_flight: maxInFlight }),
    body_bytes: bounds.bodyBytes,
    header_bytes: bounds.headerBytes,
    depth: bounds.depth,
    request_seconds: bounds.requestMs / 1000,
    items: Object.fromEntries(items),
    fields: {
      content_chars: contentChars,
      query_chars: queryChars,
      tags,
      tag_chars: tagChars,
      source_chars: sourceChars,
      reason_chars: reasonChars,
      page_items: pageItems,
    },
  };
}

/** For what is no verb. After the body where there is one, so that nobody keeps a place by sending slowly. */
function takePlaceIn(inFlight: InFlight): RequestHandler {
  return (_req, res, next) => {
    res.once('close', inFlight.enter());
    next();
  };
}

/** RFC 9112, section 3.2. */
const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host !== undefined || req.httpVersion === '1.0') return next();
  throw new Failure('validation', 'An HTTP/1.1 request needs a Host header.', { field: 'host' });
};
