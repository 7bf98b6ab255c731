import { createHash } from 'node:crypto';

/** Text as stored: Unicode NFC, line ends `\n`, outer white space gone. Nothing else is touched. */
export function normalizeContent(content: string): string {
  return content.normalize('NFC').replace(/\r\n?/g, '\n').trim();
}

/**
 * `mem_` and 26 characters of base32: 130 bits of SHA-256 over tenant, scope key and normalized content.
 * The same content in the same scope is the same memory for ever, whoever sends it.
 */
export function memoryId(tenantId: string, scopeKey: string | null, normalizedContent: string): string {
  const hash = createHash('sha256');
  // Lengths before values: no two different triples hash the same bytes.
  for (const part of [tenantId, scopeKey ?? '', normalizedContent]) {
    const bytes = Buffer.from(part, 'utf8');
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return `mem_${base32(hash.digest()).slice(0, 26)}`;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Crockford's base32 in lower case: no letter that can be taken for a digit. */
export function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}
