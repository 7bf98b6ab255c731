/** The closed set of refusals and the HTTP status each one has on REST. Source: the interface specification's error table. */
export const failureCodes = {
  validation: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  conflict: { status: 409, retryable: false },
  gone: { status: 410, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  rate_limited: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  dependency_unavailable: { status: 503, retryable: true },
} as const;

export type FailureCode = keyof typeof failureCodes;

export interface FailureOptions {
  /** Dotted path of the input field to fix, for example `filters.scope_key`. */
  field?: string | undefined;
  details?: Record<string, unknown> | undefined;
  /** What went wrong underneath. Logged, never shown to a caller. */
  cause?: unknown;
}

/** A refusal that the caller may act on. Anything else that is thrown is a defect and is answered as `internal`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.details = options.details;
  }
}

/** The `error` object of both envelopes. */
export interface ErrorBody {
  code: FailureCode;
  message: string;
  field?: string;
  retryable: boolean;
  request_id: string;
  details?: Record<string, unknown>;
}

/** Renders a refusal; a defect becomes `internal` without any of its text. */
export function errorBody(error: unknown, requestId: string): ErrorBody {
  const failure =
    error instanceof Failure ? error : new Failure('internal', 'The service met an internal fault. Try again; if it stays, report the request id.');
  return {
    code: failure.code,
    message: failure.message,
    ...(failure.field === undefined ? {} : { field: failure.field }),
    retryable: failureCodes[failure.code].retryable,
    request_id: requestId,
    ...(failure.details === undefined ? {} : { details: failure.details }),
  };
}
