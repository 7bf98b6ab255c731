import { Router } from 'express';
import { about } from './about.ts';
import { baseUrlFor } from './base-url.ts';

/** How clients find the token endpoint: RFC 9728 names the authorization server (this service), RFC 8414 its endpoints. */
export function wellKnownRouter(baseUrl: () => string): Router {
  const router = Router();
  for (const path of ['', '/mcp']) {
    router.get(`/oauth-protected-resource${path}`, (req, res) => {
      const base = baseUrlFor(req, baseUrl());
      res.json({ resource: `${base}${path}`, authorization_servers: [base], bearer_methods_supported: ['header'], resource_name: about.name });
    });
  }
  router.get('/oauth-authorization-server', (req, res) => {
    const base = baseUrlFor(req, baseUrl());
    const authMethods = ['client_secret_basic', 'client_secret_post'];
    res.json({
      issuer: base,
      // No grant of ours uses it, and RFC 8414 would let it be absent; the MCP SDK's clients, 1.x and 2.x, reject metadata without it.
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      token_endpoint_auth_methods_supported: authMethods,
      revocation_endpoint: `${base}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: authMethods,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
    });
  });
  return router;
}
