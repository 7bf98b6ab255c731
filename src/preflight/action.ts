import { createHash } from 'node:crypto';

/** What an agent is about to do. */
export interface Action {
  /** Dotted, for example `code.patch.apply`. */
  type: string;
  summary: string;
  files: readonly string[];
  scopeKey: string | null;
  command: string | undefined;
}

/** A path as globs see it: forward slashes, no leading `./`. */
export function normalizePath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(\.\/)+/, '')
    .replace(/\/{2,}/g, '/');
}

/** A command with its white space evened out. */
export function normalizeCommand(command: string): string {
  return command.trim().replace(/\s+/g, ' ');
}

/** What an approval is bound to: type, command, scope and files. The summary is prose and may be worded anew. */
export function fingerprint(action: Action): string {
  const parts = [
    action.type,
    action.scopeKey ?? '',
    action.command === undefined ? '' : normalizeCommand(action.command),
    ...[...new Set(action.files.map(normalizePath))].sort(),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
