import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { Failure } from '../failure.ts';
import { namesJson, readJson } from './body.ts';
import { admit, callVerb, type Door } from './call.ts';
import type { Refusals } from './refusals.ts';

/** `POST /v1/{verb}`; the resource is the canonical tool name and the body its arguments. */
export function restRouter(door: Door, refusals: Refusals): Router {
  const router = Router();

  router.post('/:verb', requireJson, readJson, requireObject, async (req, res) => {
    const outcome = await callVerb(door, String(req.params.verb), req.body, req);
    if (outcome.ok) res.status(outcome.partial ? 207 : 200).json(outcome.output);
    else refusals.send(req, res, outcome.error);
  });

  // A stranger whose body is broken too is told that a credential is missing, and broken bodies count against the rate.
  const admitFirst: ErrorRequestHandler = async (error, req, _res, _next) => {
    await admit(door, req, 1);
    throw error;
  };
  router.use(admitFirst);

  router.use(() => {
    throw new Failure('not_found', 'There is nothing at this address. Verbs are called with POST /v1/{verb}.', {
      details: { allowed: door.service.operations.map(({ name }) => `POST /v1/${name}`) },
    });
  });
  return router;
}

const requireJson: RequestHandler = (req, _res, next) => {
  if (namesJson(req.headers['content-type'])) return next();
  throw new Failure('validation', 'The body must be JSON in UTF-8 and say so.', {
    field: 'content-type',
    details: { example: 'application/json', allowed: ['application/json'] },
  });
};

const requireObject: RequestHandler = (req, _res, next) => {
  if (typeof req.body === 'object' && req.body !== null && !Array.isArray(req.body)) return next();
  throw new Failure('validation', 'The body must be one JSON object: the arguments of the verb.', { details: { example: {} } });
};
