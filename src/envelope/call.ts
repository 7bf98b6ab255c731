import type { Request } from 'express';
import { errorBody, failureCodes } from '../failure.ts';
import type { Logger } from '../logger.ts';
import type { Outcome, Service } from '../service.ts';
import { traceOf } from './trace.ts';

/** Hands one call to the service and notes how it ended. */
export async function callVerb(service: Service, verb: string, input: unknown, req: Request): Promise<Outcome> {
  const trace = traceOf(req);
  const known = service.operations.some((operation) => operation.name === verb);
  if (trace.verb !== 'batch') trace.verb = known ? verb : 'unknown';
  const outcome = await service.invoke(verb, input, {
    requestId: trace.requestId,
    identify: () => service.authenticate(req.headers.authorization),
  });
  if (outcome.principalId !== undefined) trace.principalId = outcome.principalId;
  if (!outcome.ok) trace.code = outcome.error.code;
  return outcome;
}

/** Counts a request that reaches no verb against the caller's rate. @throws Failure */
export async function admit(service: Service, req: Request, requests: number): Promise<void> {
  const caller = await service.authenticate(req.headers.authorization);
  traceOf(req).principalId = caller.principalId;
  for (let counted = 0; counted < requests; counted += 1) await service.limit(caller);
}

/** A refusal that did not come out of `invoke`, in the form the service's own ones have. What is the service's fault is logged, once, here. */
export function refuse(error: unknown, req: Request, logger: Logger): Outcome & { ok: false } {
  const trace = traceOf(req);
  const body = errorBody(error, trace.requestId);
  trace.code = body.code;
  if (failureCodes[body.code].status >= 500) logger.error({ err: error, request_id: trace.requestId }, 'request failed');
  return { ok: false, error: body };
}
