import type { ErrorRequestHandler, Request, Response } from 'express';
import { type ErrorBody, Failure, failureCodes } from '../failure.ts';
import type { Logger } from '../logger.ts';
import { refuse } from './call.ts';
import { jsonRpcError, jsonRpcId } from './json-rpc.ts';
import { traceOf } from './trace.ts';

interface WireRefusal {
  status: number;
  headers: Record<string, string>;
  json: unknown;
}

export interface Refusals {
  /** The refusal in the form of the path that was asked. */
  render(req: Request, error: ErrorBody): WireRefusal;
  send(req: Request, res: Response, error: ErrorBody): void;
  /** The one place where what is thrown becomes an answer. */
  handle: ErrorRequestHandler;
}

export function createRefusals(logger: Logger, challenge: (req: Request) => string): Refusals {
  const refusals: Refusals = {
    render(req, error) {
      const { status } = failureCodes[error.code];
      const headers: Record<string, string> = {};
      if (error.code === 'unauthenticated') headers['WWW-Authenticate'] = challenge(req);
      if (error.code === 'rate_limited') headers['Retry-After'] = retryAfter(error);
      return { status, headers, json: bodyOf(req, status, error) };
    },
    send(req, res, error) {
      const { status, headers, json } = refusals.render(req, error);
      res.status(status).set(headers).json(json);
    },
    handle(error, req, res, _next) {
      const outcome = refuse(failureOf(error), req, logger);
      if (res.headersSent) res.destroy();
      else refusals.send(req, res, outcome.error);
    },
  };
  return refusals;
}

function bodyOf(req: Request, status: number, error: ErrorBody): unknown {
  const { envelope } = traceOf(req);
  if (envelope === 'mcp') return jsonRpcError(jsonRpcId(req.body), status, error.message, error);
  if (envelope === 'oauth') return { error: oauthCodes[error.code] ?? 'invalid_request', error_description: error.message };
  return { error };
}

const oauthCodes: Partial<Record<ErrorBody['code'], string>> = {
  dependency_unavailable: 'temporarily_unavailable',
  rate_limited: 'temporarily_unavailable',
  internal: 'server_error',
};

function retryAfter(error: ErrorBody): string {
  const seconds = Number(error.details?.retry_after_s);
  return String(Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1);
}

/** The router and its parts throw errors with a `status` of 4xx, for a path that is no valid percent-encoding for example. */
function failureOf(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return error;
  return new Failure('validation', 'The request could not be understood: its address or its form is not valid.', { cause: error });
}
