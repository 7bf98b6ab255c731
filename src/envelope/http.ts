import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { OAuthClients } from '../auth/oauth-clients.ts';
import type { Config } from '../config.ts';
import { Failure } from '../failure.ts';
import type { Logger } from '../logger.ts';
import type { Service } from '../service.ts';
import { bodyLimitBytes } from './body.ts';
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
  config: Pick<Config, 'rateLimit' | 'allowedOrigins'>;
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

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(traceRequests(logger, metrics));
  app.use(helmet());
  app.use(requireHost);
  app.use(checkOrigin(baseUrl, config.allowedOrigins));
  app.use('/v1', restRouter(service, refusals));
  app.use('/mcp', mcpRouter({ service, refusals, logger, limits: limitsOf(service, config.rateLimit) }));
  if (oauth !== undefined) {
    app.use('/oauth', oauthRouter({ clients: oauth, limit: (caller) => service.limit(caller), baseUrl }));
    app.use('/.well-known', wellKnownRouter(baseUrl));
  }
  app.use(publicRouter({ service, metrics, baseUrl, hasTokenEndpoint }));
  app.use(() => {
    throw new Failure('not_found', 'There is nothing at this address.');
  });
  app.use(refusals.handle);
  return app;
}

/** What a client may send, for `server/discover`. */
function limitsOf({ operations }: Service, requestsPerMinute: number): Record<string, unknown> {
  const items = operations.flatMap(({ name, maxItems }) => (maxItems === undefined ? [] : [[name, maxItems] as const]));
  return { requests_per_minute: requestsPerMinute, body_bytes: bodyLimitBytes, items: Object.fromEntries(items) };
}

/** RFC 9112, section 3.2. */
const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host !== undefined || req.httpVersion === '1.0') return next();
  throw new Failure('validation', 'An HTTP/1.1 request needs a Host header.', { field: 'host' });
};
