import type { Request } from 'express';
import type { Caller } from '../auth/caller.ts';
import { errorBody, Failure, failureCodes } from '../failure.ts';
import type { GuessLimit } from '../limits/guessing.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { Logger } from '../logger.ts';
import type { Outcome, Service } from '../service.ts';
import { traceOf } from './trace.ts';

/** The service behind its limits: whoever is asking is proven here and nowhere else. */
export interface Door {
  service: Service;
  guesses: GuessLimit;
  inFlight: InFlight;
}

/** @throws Failure `unauthenticated`, or `rate_limited` after too many of those from one address. */
async function identify({ service, guesses }: Door, req: Request): Promise<Caller> {
  const credential = req.headers.authorization ?? '';
  await guesses.admit(req.ip, credential);
  try {
    const caller = await service.authenticate(req.headers.authorization);
    guesses.proven(credential);
    return caller;
  } catch (error) {
    if (error instanceof Failure && error.code === 'unauthenticated') await guesses.failed(req.ip, credential);
    throw error;
  }
}

/** Hands one call to the service and notes how it ended. */
export async function callVerb(door: Door, verb: string, input: unknown, req: Request): Promise<Outcome> {
  const { service } = door;
  const trace = traceOf(req);
  const known = service.operations.some((operation) => operation.name === verb);
  if (trace.verb !== 'batch') trace.verb = known ? verb : 'unknown';
  const outcome = await inPlace(door, trace.requestId, () => service.invoke(verb, input, { requestId: trace.requestId, identify: () => identify(door, req) }));
  if (outcome.principalId !== undefined) trace.principalId = outcome.principalId;
  if (!outcome.ok) trace.code = outcome.error.code;
  return outcome;
}

/** A full house is an answer like any other refusal of a verb, and no fault worth a line in the log. */
async function inPlace({ inFlight }: Door, requestId: string, run: () => Promise<Outcome>): Promise<Outcome> {
  let leave: () => void;
  try {
    leave = inFlight.enter();
  } catch (error) {
    return { ok: false, error: errorBody(error, requestId) };
  }
  return run().finally(leave);
}

/** Counts a request that reaches no verb against the caller's rate. @throws Failure */
export async function admit(door: Door, req: Request, requests: number): Promise<void> {
  const leave = door.inFlight.enter();
  try {
    const caller = await identify(door, req);
    traceOf(req).principalId = caller.principalId;
    for (let counted = 0; counted < requests; counted += 1) await door.service.limit(caller);
  } finally {
    leave();
  }
}

/** A refusal that did not come out of `invoke`, in the form the service's own ones have. What is the service's fault is logged, once, here. */
export function refuse(error: unknown, req: Request, logger: Logger): Outcome & { ok: false } {
  const trace = traceOf(req);
  const body = errorBody(error, trace.requestId);
  trace.code = body.code;
  if (failureCodes[body.code].status >= 500) logger.error({ err: error, request_id: trace.requestId }, 'request failed');
  return { ok: false, error: body };
}
