import type { Request } from 'express';
import { baseUrlFor } from './base-url.ts';
import { traceOf } from './trace.ts';

/**
 * The `WWW-Authenticate` of a 401 (RFC 6750, section 3). It points at the metadata of RFC 9728 only where a token endpoint answers:
 * clients that are told of an authorization server and find none report the whole service as broken.
 */
export function createChallenge(baseUrl: () => string, hasTokenEndpoint: boolean): (req: Request) => string {
  return (req) => {
    const parts = ['realm="kneeboard"'];
    if (req.headers.authorization !== undefined) parts.push('error="invalid_token"');
    if (hasTokenEndpoint) {
      const path = traceOf(req).envelope === 'mcp' ? '/mcp' : '';
      parts.push(`resource_metadata="${baseUrlFor(req, baseUrl())}/.well-known/oauth-protected-resource${path}"`);
    }
    return `Bearer ${parts.join(', ')}`;
  };
}
