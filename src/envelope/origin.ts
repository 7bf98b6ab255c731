import type { RequestHandler } from 'express';
import { Failure } from '../failure.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Stops pages of other sites from reaching a service on this machine (DNS rebinding). Programs send no `Origin` and pass; the pages
 * that do pass get the CORS headers they need.
 */
export function checkOrigin(baseUrl: () => string, allowed: readonly string[]): RequestHandler {
  const mayCall = (origin: string) => {
    if (!URL.canParse(origin)) return false;
    const { hostname, protocol } = new URL(origin);
    if (protocol !== 'http:' && protocol !== 'https:') return allowed.includes(origin);
    return loopbackHosts.has(hostname) || allowed.includes(origin) || origin === new URL(baseUrl()).origin;
  };

  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin === undefined) return next();
    if (!mayCall(origin)) {
      throw new Failure('forbidden', 'Pages of this origin may not call the service. The operator allows one with KNEEBOARD_ALLOWED_ORIGINS.');
    }
    res.vary('Origin').set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After, WWW-Authenticate' });
    if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
      // 200 and not the usual 204: it is the one success without content that the interface's table of statuses knows.
      res.set({
        'Access-Control-Allow-Methods': 'POST, GET',
        'Access-Control-Allow-Headers': requested(req.headers['access-control-request-headers']),
        'Access-Control-Max-Age': '600',
      });
      res.status(200).end();
      return;
    }
    next();
  };
}

function requested(headers: string | undefined): string {
  return headers !== undefined && /^[A-Za-z0-9, -]{1,500}$/.test(headers) ? headers : 'Authorization, Content-Type';
}
