import { randomBytes } from 'node:crypto';
import { base32 } from './memory/identity.ts';

/** A random id such as `req_…`, `chk_…`, `prn_…`, `crd_…`: 130 random bits. */
export function newId(prefix: 'req' | 'chk' | 'prn' | 'crd'): string {
  return `${prefix}_${base32(randomBytes(17)).slice(0, 26)}`;
}
