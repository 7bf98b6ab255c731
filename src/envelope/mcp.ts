import { toNodeHandler } from '@modelcontextprotocol/node';
import { type Request as HttpRequest, type RequestHandler, Router } from 'express';
import { type ErrorBody, Failure } from '../failure.ts';
import type { Logger } from '../logger.ts';
import type { Outcome } from '../service.ts';
import { namesJson, readJson } from './body.ts';
import { admit, callVerb, type Door, refuse } from './call.ts';
import { isMessage, isRecord, isRequest, jsonRpcError, jsonRpcId, type Message, type MessageId, rpcCodes } from './json-rpc.ts';
import { type Answer, createLegs, currentRevision, isDiscovery } from './mcp-legs.ts';
import { listTools, toolResult } from './mcp-tools.ts';
import type { Refusals } from './refusals.ts';
import { traceOf } from './trace.ts';

export interface McpParts {
  door: Door;
  refusals: Refusals;
  logger: Logger;
  /** Shown to whoever asks `server/discover`. */
  limits: Record<string, unknown>;
}

/** `POST /mcp`: one endpoint, no session, one JSON answer to one message. */
export function mcpRouter({ door, refusals, logger, limits }: McpParts): Router {
  const tools = listTools(door.service.operations);
  const answer = createLegs({
    tools,
    discovery: { protocolVersion: currentRevision, verbs: tools.map(({ name }) => name), limits },
    onProblem: (error) => logger.debug({ reason: error.message }, 'an MCP message was refused'),
  });

  const router = Router();
  router.all('/', requirePost, requireJson, readMessage(), admitUnlessOpen(door), async (req, res) => {
    const respond = toNodeHandler({ fetch: (request) => exchange(request, req, { door, refusals, answer, logger }) });
    await respond(withoutBody(req), res, {});
  });
  return router;
}

/** The request for the SDK's adapter, which would serialise the parsed body again and fail on a crooked Host header. */
function withoutBody(req: HttpRequest) {
  const headers = { ...req.headers, host: undefined, accept: 'application/json, text/event-stream' };
  return { method: req.method, url: '/mcp', headers, async *[Symbol.asyncIterator]() {} };
}

interface Exchange {
  door: Door;
  refusals: Refusals;
  answer: Answer;
  logger: Logger;
}

/** One POST, from the parsed body to the answer of a leg. */
async function exchange(request: Request, req: HttpRequest, { door, refusals, answer, logger }: Exchange): Promise<Response> {
  const { body, calls } = takeCalls(req.body);
  if (Array.isArray(body) && body.length === 0) return new Response(null, { status: 202 });
  let unauthenticated: ErrorBody | undefined;
  const response = await answer(request, body, async (id) => {
    const outcome = await judge(door, calls.get(id), req, logger);
    if (!outcome.ok && outcome.error.code === 'unauthenticated') unauthenticated = outcome.error;
    return toolResult(outcome);
  });
  // Clients that name a revision look for a new token on a 401 only; bare JSON-RPC reads the fault in the result.
  if (unauthenticated === undefined || req.headers['mcp-protocol-version'] === undefined) return response;
  const { status, headers, json } = refusals.render(req, unauthenticated);
  return Response.json(json, { status, headers });
}

/**
 * The SDK refuses malformed params as protocol errors before any handler runs and copies the good ones. So it gets a legal stand-in
 * without arguments, and what was really sent is judged by `invoke`, byte for byte.
 */
function takeCalls(body: unknown): { body: unknown; calls: Map<MessageId, unknown> } {
  const calls = new Map<MessageId, unknown>();
  const standIn = (message: unknown) => {
    if (!isMessage(message) || !isToolCall(message)) return message;
    calls.set(message.id, message.params);
    const { name, _meta } = isRecord(message.params) ? message.params : {};
    const meta = isRecord(_meta) ? { _meta } : {};
    return { ...message, params: { ...meta, name: typeof name === 'string' ? name : '', arguments: {} } };
  };
  return { body: Array.isArray(body) ? body.filter((message) => !isNotification(message)).map(standIn) : standIn(body), calls };
}

async function judge(door: Door, params: unknown, req: HttpRequest, logger: Logger): Promise<Outcome> {
  try {
    if (isRecord(params) && typeof params.name === 'string') {
      return await callVerb(door, params.name, params.arguments === undefined ? {} : params.arguments, req);
    }
    await admit(door, req, 1);
    const field = isRecord(params) ? 'name' : 'params';
    throw new Failure('validation', 'A call needs params with the name of a tool and its arguments.', {
      field,
      details: { allowed: door.service.operations.map(({ name }) => name) },
    });
  } catch (error) {
    return refuse(error, req, logger);
  }
}

/** GET and DELETE belong to streams and sessions of earlier revisions; 405 is what tells their clients to do without. */
const requirePost: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') return next();
  res
    .status(405)
    .set('Allow', 'POST')
    .json(jsonRpcError(null, rpcCodes.invalidRequest, 'Only POST is served here: there are no streams and no sessions.'));
};

const requireJson: RequestHandler = (req, res, next) => {
  if (namesJson(req.headers['content-type'])) return next();
  res.status(415).json(jsonRpcError(null, rpcCodes.invalidRequest, 'The content-type must be application/json.'));
};

function readMessage(): RequestHandler {
  return (req, res, next) => {
    readJson(req, res, (error?: unknown) => {
      if (error instanceof Failure && error.code === 'validation') {
        res.status(400).json(jsonRpcError(null, rpcCodes.parseError, error.message));
      } else if (error === undefined && !isServable(req.body)) {
        res
          .status(400)
          .json(jsonRpcError(jsonRpcId(req.body), rpcCodes.invalidRequest, 'The body is not a JSON-RPC 2.0 message, or a batch uses an id twice.'));
      } else next(error);
    });
  };
}

/** A batch (a habit of revision 2025-03-26) must hold something and use no id twice. */
function isServable(body: unknown): boolean {
  if (!Array.isArray(body)) return isRecord(body);
  const ids = body
    .filter(isMessage)
    .filter(isRequest)
    .map(({ id }) => id);
  return body.length > 0 && new Set(ids).size === ids.length;
}

/**
 * Notifications are dropped from a batch, as none means anything where nothing outlives a request: a cancellation would leave the
 * call that it cancels without an answer and the batch waiting for ever.
 */
function isNotification(message: unknown): boolean {
  return isMessage(message) && message.id === undefined;
}

/** Everything but `server/discover` needs a credential. Calls of tools bring theirs to `invoke`, which answers a fault. */
function admitUnlessOpen(door: Door): RequestHandler {
  return async (req, _res, next) => {
    const trace = traceOf(req);
    const messages: unknown[] = Array.isArray(req.body) ? req.body : [req.body];
    trace.verb = Array.isArray(req.body) ? 'batch' : methodName(req.body);
    if (isDiscovery(req.body)) return next();
    const others = messages.filter((message) => !(isMessage(message) && isToolCall(message)));
    if (others.length > 0) await admit(door, req, others.length);
    next();
  };
}

function isToolCall(message: Message): message is Message & { id: MessageId } {
  return message.method === 'tools/call' && isRequest(message);
}

const loggedMethods = new Set(['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'notifications/initialized']);

function methodName(body: unknown): string {
  return isMessage(body) && loggedMethods.has(body.method) ? body.method : 'unknown';
}
