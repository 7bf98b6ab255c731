import type { Request } from 'express';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The base address as this client wrote it. OAuth clients compare it letter by letter with the one they were given, and on one's own
 * machine `localhost` and `127.0.0.1` are both in use. No other name is taken from a Host header: those can be forged.
 */
export function baseUrlFor(req: Request, baseUrl: string): string {
  const { host } = req.headers;
  if (host === undefined || !URL.canParse(`http://${host}`)) return baseUrl;
  const asked = new URL(`http://${host}`);
  const own = new URL(baseUrl);
  const sameMachine = own.protocol === 'http:' && loopback.has(own.hostname) && loopback.has(asked.hostname) && asked.port === own.port;
  return sameMachine ? baseUrl.replace(own.host, asked.host) : baseUrl;
}
