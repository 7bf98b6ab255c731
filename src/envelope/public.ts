import { type RequestHandler, Router } from 'express';
import type { Service } from '../service.ts';
import type { Metrics } from './metrics.ts';
import { describeApi } from './openapi.ts';

export interface PublicParts {
  service: Service;
  metrics: Metrics;
  baseUrl: () => string;
  hasTokenEndpoint: boolean;
  takePlace: RequestHandler;
}

/** What operators and their tools ask without a credential. None of it tells anything of a tenant. */
export function publicRouter({ service, metrics, baseUrl, hasTokenEndpoint, takePlace }: PublicParts): Router {
  const router = Router();
  router.get('/openapi.json', takePlace, (_req, res) => {
    res.json(describeApi(service.operations, baseUrl(), hasTokenEndpoint));
  });
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', takePlace, async (_req, res) => {
    const readiness = await service.readiness();
    res.status(readiness.ready ? 200 : 503).json(readiness);
  });
  router.get('/metrics', async (_req, res) => {
    const { contentType, text } = await metrics.render();
    res.set('Content-Type', contentType).send(text);
  });
  return router;
}
