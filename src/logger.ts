import { pino } from 'pino';
import type { LogLevel } from './config.ts';

/** What the parts of the service may ask of the log. */
export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * The first line of defence is that no caller passes content or credentials; these paths are the second.
 * pino matches `*` at one level only, so each name is listed for the root and for one level below.
 */
const guarded = ['authorization', 'token', 'access_token', 'secret', 'client_secret', 'password', 'content', 'query', 'body', 'headers', 'arguments'];

export function createLogger(level: LogLevel, destination?: pino.DestinationStream): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: guarded.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Only these members: a database error carries the offending row in others, `detail` for example. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error;
  const { name: type, message, stack, cause } = error;
  return { type, code: 'code' in error ? error.code : undefined, message, stack, cause: cause === undefined ? undefined : describeError(cause) };
}
