import express, { type RequestHandler } from 'express';
import { Failure } from '../failure.ts';
import { bounds } from '../limits/bounds.ts';

export const bodyLimitBytes = bounds.bodyBytes;

const collect = express.raw({ type: () => true, limit: bodyLimitBytes });

/**
 * Reads the body as bytes and decodes them strictly: the usual JSON parser replaces broken UTF-8 with U+FFFD, and a memory's
 * identity is its content.
 */
export const readJson: RequestHandler = (req, res, next) => {
  collect(req, res, (problem?: unknown) => {
    if (problem !== undefined) return next(bodyFailure(problem));
    try {
      req.body = decode(req.body);
      next();
    } catch (error) {
      next(error);
    }
  });
};

/** Whether a `Content-Type` names JSON. Parameters other than a charset that is not UTF-8 do not matter. */
export function namesJson(contentType: string | undefined): boolean {
  const [essence, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (essence?.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** Turns what the body reader throws into a refusal of ours: only its size is told apart. */
function bodyFailure(problem: unknown): Failure {
  if (problem instanceof Failure) return problem;
  const status = typeof problem === 'object' && problem !== null && 'status' in problem ? problem.status : undefined;
  if (status === 413) {
    return new Failure('payload_too_large', `The body is larger than ${bodyLimitBytes} bytes. Send less at once.`, {
      details: { limit_bytes: bodyLimitBytes },
      cause: problem,
    });
  }
  return new Failure('validation', 'The body could not be read: it was cut off, or its Content-Encoding is unknown or broken.', { cause: problem });
}

function decode(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw new Failure('validation', 'The body is empty; a JSON object is needed.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Failure('validation', 'The body is not valid JSON in UTF-8.', { cause });
  }
}
