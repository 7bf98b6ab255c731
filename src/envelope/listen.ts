import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, Failure, failureCodes } from '../failure.ts';
import { newId } from '../ids.ts';
import { bounds } from '../limits/bounds.ts';
import { Refusal } from '../refusal.ts';

export interface Listening {
  server: Server;
  /** Where clients on this machine reach it, for example `http://127.0.0.1:8787`. */
  address: string;
  /** Takes no more, lets what runs finish within the limit, then cuts what is left. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

/** The address cannot be bound; the message says what to do. */
export class ListenError extends Refusal {
  override readonly name = 'ListenError';
}

export interface ListenOptions {
  host: string;
  port: number;
  /** How long the headers, and the whole request, may take to arrive. */
  headersMs?: number;
  requestMs?: number;
}

export async function startHttp(
  app: RequestListener,
  { host, port, headersMs = bounds.headersMs, requestMs = bounds.requestMs }: ListenOptions,
): Promise<Listening> {
  const server = createServer({
    // Node would answer a missing Host header with a bare 400 of its own; the app answers it with ours.
    requireHostHeader: false,
    maxHeaderSize: bounds.headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Longer than the 60 s after which common load balancers drop an idle connection, so that they close first.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: Math.min(5_000, headersMs),
  });
  // Their bytes are bounded. A bound on their number would drop the surplus in silence, an Origin or Authorization among it.
  server.maxHeadersCount = 0;
  let closing = false;
  const answering = new WeakMap<Duplex, ServerResponse>();
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    answering.set(req.socket, res);
    if (closing) res.setHeader('Connection', 'close');
    app(req, res);
  };
  server.on('request', serve);
  // Without this listener Node answers an Expect it does not know with 417. RFC 9110, section 10.1.1, lets a server disregard it.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseBroken(error, socket, answering.get(socket)));

  await bind(server, host, port);

  return {
    server,
    address: addressOf(server.address() as AddressInfo),
    close({ timeoutMs = 10_000 } = {}) {
      closing = true;
      return new Promise((resolve) => {
        // Connections that fall idle after `close` would be kept for the whole keepAliveTimeout.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(bindProblem(error, host, port), { cause: error })));
    server.listen(port, host, resolve);
  });
}

function bindProblem({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken. Stop what listens there or set KNEEBOARD_PORT to another one.`;
  if (code === 'EACCES') return `Port ${port} on ${host} needs rights that this process has not. Set KNEEBOARD_PORT to one above 1023.`;
  return `${host} port ${port} cannot be listened on (${String(code)}). Check KNEEBOARD_HOST and KNEEBOARD_PORT.`;
}

function addressOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** What is no HTTP never reaches the app; its answer is written here, in the same form and with the same statuses. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex, res: ServerResponse | undefined): void {
  const midAnswer = res !== undefined && !res.writableFinished && res.headersSent;
  if (error.code === 'ECONNRESET' || !socket.writable || midAnswer) {
    socket.destroy();
    return;
  }
  const given = res === undefined || res.writableFinished ? undefined : res.getHeader('X-Request-Id');
  const requestId = typeof given === 'string' ? given : newId('req');
  const body = JSON.stringify({ error: errorBody(new Failure('validation', brokenness(error)), requestId) });
  const head = [
    `HTTP/1.1 ${failureCodes.validation.status} Bad Request`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function brokenness({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The headers are larger than the service reads.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request did not arrive in full within the time limit.';
  return 'What was sent is not a well-formed HTTP request.';
}
