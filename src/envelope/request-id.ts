import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `req_` and 26 characters of Crockford's base 32: 130 random bits, no letters that read alike. */
export function newRequestId(): string {
  let id = 'req_';
  for (const byte of randomBytes(26)) id += alphabet[byte & 31];
  return id;
}
