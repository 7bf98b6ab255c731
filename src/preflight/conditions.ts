import picomatch from 'picomatch';
import type { Conditions, Rule } from '../memory/memory.ts';
import { type Action, normalizeCommand, normalizePath } from './action.ts';

/** Which facts of an action a rule or a policy took hold of. */
export interface Matched {
  action_type?: string;
  paths?: string[];
  command?: string;
  relevance?: number;
}

/** @returns what matched, or undefined when the rule does not apply. */
export function matchRule(rule: Rule, action: Action): Matched | undefined {
  const matched = matchAll(rule.when, action);
  if (!matched) return undefined;
  return rule.unless && excepted(rule.unless, action, matched) ? undefined : matched;
}

/** Every condition that is named must hold. */
function matchAll(when: Conditions, action: Action): Matched | undefined {
  const matched: Matched = {};
  if (when.action_types) {
    if (!when.action_types.some((pattern) => matchesWildcard(pattern, action.type))) return undefined;
    matched.action_type = action.type;
  }
  if (when.paths) {
    const paths = matchPaths(when.paths, action.files);
    if (paths.length === 0) return undefined;
    matched.paths = paths;
  }
  if (when.commands) {
    const command = matchCommand(when.commands, action.command);
    if (command === undefined) return undefined;
    matched.command = command;
  }
  return matched;
}

/** An exception by paths excuses only when it covers every file that the rule caught. */
function excepted(unless: Conditions, action: Action, matched: Matched): boolean {
  const except = matchAll(unless, action);
  if (!except) return false;
  const caught = matched.paths ?? action.files.map(normalizePath);
  return !except.paths || caught.every((path) => except.paths?.includes(path));
}

export function matchPaths(globs: readonly string[], files: readonly string[]): string[] {
  const isMatch = picomatch([...globs], { dot: true });
  return files.map(normalizePath).filter((file) => isMatch(file));
}

/** The command line, or the part of it between `&&`, `||`, `;` and `|`, that a glob matches. */
export function matchCommand(globs: readonly string[], command: string | undefined): string | undefined {
  if (command === undefined) return undefined;
  const line = normalizeCommand(command);
  return [line, ...line.split(/\s*(?:&&|\|\||[;|])\s*/)].find((part) => part !== '' && globs.some((glob) => matchesWildcard(normalizeCommand(glob), part)));
}

/** `*` stands for any run of characters; everything else for itself. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const tail = rest.pop() ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
