import { createHash } from 'node:crypto';
import { normalizePath } from './rules/path-globs.ts';

/** What an agent is about to do. */
export interface Action {
  /** Dotted, for example `code.patch.apply`. */
  type: string;
  summary: string;
  files: readonly string[];
  scopeKey: string | null;
  command: string | undefined;
}

/** What an approval is bound to: type, command, scope and files. The summary is prose and may be worded anew. */
export function fingerprint(action: Action): string {
  const files = [...new Set(action.files.map(normalizePath))].sort();
  // White space inside a command may be quoted, and a line end is an operator: only what surrounds it is dropped.
  const command = action.command?.replaceAll('\r\n', '\n').trim() ?? '';
  return createHash('sha256')
    .update(JSON.stringify([action.type, action.scopeKey ?? '', command, ...files]))
    .digest('hex');
}
