import type { Request, RequestHandler } from 'express';
import type { FailureCode } from '../failure.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from './metrics.ts';

type EnvelopeName = 'rest' | 'mcp' | 'oauth' | 'http';

/** What one request leaves behind: its line in the log and its sample in the metrics. Never content. */
export interface Trace {
  readonly requestId: string;
  readonly envelope: EnvelopeName;
  /** A canonical verb, an MCP method, or `unknown`: never text that the caller made up. */
  verb?: string;
  principalId?: string;
  code?: FailureCode;
}

const traces = new WeakMap<object, Trace>();

export function traceOf(req: Request): Trace {
  const trace = traces.get(req);
  if (trace === undefined) throw new Error('the request was not traced');
  return trace;
}

/** First in line, so that every later answer, refusals of broken requests included, carries the id. */
export function traceRequests(logger: Logger, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const trace: Trace = { requestId: newId('req'), envelope: envelopeOf(req.path) };
    traces.set(req, trace);
    res.setHeader('X-Request-Id', trace.requestId);
    res.once('close', () => {
      const ms = performance.now() - startedAt;
      metrics.observe(trace, res.statusCode, ms / 1000);
      logger.info(
        {
          request_id: trace.requestId,
          envelope: trace.envelope,
          verb: trace.verb,
          principal: trace.principalId,
          status: res.statusCode,
          code: trace.code,
          ms: Math.round(ms * 10) / 10,
          ...(res.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

function envelopeOf(path: string): EnvelopeName {
  const [, first] = path.toLowerCase().split('/');
  if (first === 'v1') return 'rest';
  return first === 'mcp' || first === 'oauth' ? first : 'http';
}
