import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { about, instructions } from './about.ts';
import { isMessage, isRecord, type Message } from './json-rpc.ts';

/** The revision that a client without any opinion is told of. */
export const currentRevision = '2026-07-28';

export interface LegParts {
  tools: Tool[];
  /** Extra members of the answer to `server/discover`; the specification leaves its results open. */
  discovery: Record<string, unknown>;
  onProblem(error: Error): void;
}

type CallTool = (id: RequestId) => Promise<CallToolResult>;
/** Answers one POST whose body was parsed already. */
export type Answer = (request: Request, body: unknown, callTool: CallTool) => Promise<Response>;

/**
 * The endpoint's two legs on the SDK: 2026-07-28, and everything before it including bare JSON-RPC. The SDK's own way for the second
 * answers 406 to clients without both media types in `Accept`, streams, and knows no bare `server/discover`; hence ours.
 */
export function createLegs({ tools, discovery, onProblem }: LegParts): Answer {
  const callTools = new WeakMap<Request, CallTool>();
  const modern = createMcpHandler((context) => newServer(tools, context.requestInfo && callTools.get(context.requestInfo)), {
    legacy: 'reject',
    onerror: onProblem,
  });

  return async (request, body, callTool) => {
    const legacy = await isLegacyRequest(request, body);
    if (isDiscovery(body)) {
      const [asked, message] = legacy ? asCurrent(request, body) : [request, body];
      return withMembers(await modern.fetch(asked, { parsedBody: message }), discovery);
    }
    if (legacy) return answerLegacy(request, body, newServer(tools, callTool), onProblem);
    callTools.set(request, callTool);
    return modern.fetch(request, { parsedBody: body });
  };
}

export function isDiscovery(body: unknown): body is Message {
  return isMessage(body) && body.method === 'server/discover';
}

/** The low-level server, because the high-level one judges arguments and words refusals itself; `invoke` is the only judge here. */
function newServer(tools: Tool[], callTool: CallTool | undefined): Server {
  const server = new Server(
    { name: about.name, version: about.version },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: {
        'tools/list': { ttlMs: 300_000, cacheScope: 'public' },
        'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools }));
  if (callTool !== undefined) server.setRequestHandler('tools/call', (_request, context) => callTool(context.mcpReq.id));
  return server;
}

async function answerLegacy(request: Request, body: unknown, server: Server, onProblem: LegParts['onProblem']): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    server.close().catch(onProblem);
  }
}

/** A `server/discover` that names no revision, made one of the current revision. */
function asCurrent(request: Request, body: Message): [Request, unknown] {
  const headers = new Headers(request.headers);
  headers.set('mcp-protocol-version', currentRevision);
  headers.set('mcp-method', body.method);
  const params = isRecord(body.params) ? body.params : {};
  const meta = isRecord(params._meta) ? params._meta : {};
  const _meta = { ...meta, [PROTOCOL_VERSION_META_KEY]: currentRevision, [CLIENT_CAPABILITIES_META_KEY]: {} };
  return [new Request(request.url, { method: 'POST', headers, signal: request.signal }), { ...body, params: { ...params, _meta } }];
}

async function withMembers(response: Response, members: Record<string, unknown>): Promise<Response> {
  if (response.status !== 200) return response;
  const answer: unknown = await response.json();
  if (isRecord(answer) && isRecord(answer.result)) Object.assign(answer.result, members);
  return Response.json(answer);
}
