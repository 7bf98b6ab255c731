import type { Action } from '../action.ts';
import { matchCommand, matchPaths } from '../conditions.ts';
import { matchesWildcard } from '../rules/wildcards.ts';
import type { ActionWords } from './action-words.ts';

/** How a name that a policy quotes occurs in an action. */
export interface NameMatch {
  name: string;
  paths?: string[];
  command?: string;
}

/**
 * Looks for a quoted name where names are: paths among the files, commands and options in the command, other words in the command or, when it
 * says nothing, in the summary.
 * @param commandDecides the command does what the policy is about: what its words do not name, the summary's cannot.
 * @returns undefined when the action does not name it.
 */
export function matchName(name: string, action: Action, words: ActionWords, commandDecides = false): NameMatch | undefined {
  const literal = name.replace(/[.,:;]+$|\(\)$/, '');
  if (isPath(literal)) {
    const paths = matchPaths(anywhere(literal), action.files);
    if (paths.length > 0) return { name, paths };
  }
  if (/\s/.test(literal)) {
    const command = action.command === undefined ? undefined : matchCommand([`${placeholders(literal)}*`], action.command);
    if (command !== undefined) return { name, command };
    const shorter = literal.toLowerCase().split(/\s+-/)[0] ?? '';
    return words.summary.toLowerCase().includes(literal.toLowerCase()) || (shorter.includes(' ') && words.summary.toLowerCase().includes(shorter))
      ? { name }
      : undefined;
  }
  if (inCommand(literal, words) && action.command !== undefined) return { name, command: action.command };
  if (commandDecides && !isPath(literal)) return undefined;
  return mentioned(literal, words) ? { name } : undefined;
}

/** A folder, a file or a glob, rather than a branch, an option or an address. */
export function isPath(name: string): boolean {
  return !/\s|^(?:--?|https?:|[@#])|:\/\//.test(name) && (/[/*]/.test(name) || /\.[A-Za-z0-9]{1,8}$/.test(name)) && !/\(\)$/.test(name);
}

/** People write `config.yaml` and `migrations/` and mean them wherever they lie; a path with more than one folder is meant from the root. */
export function anywhere(path: string): string[] {
  const name = path.replace(/^\.?\//, '');
  const whole = name.endsWith('/') ? `${name}**` : name;
  const rooted = name.replace(/\/$/, '').includes('/');
  return [whole, ...(name.endsWith('/') || /[*.]/.test(name.slice(name.lastIndexOf('/'))) ? [] : [`${name}/**`]), ...(rooted ? [] : [`**/${whole}`])];
}

function placeholders(command: string): string {
  return command.replace(/<[^>]*>|\.\.\.|…/g, '*');
}

function inCommand(name: string, { commandWords }: ActionWords): boolean {
  const lower = name.toLowerCase();
  if (commandWords.has(lower)) return true;
  const glob = lower.endsWith('/') ? `${lower}*` : lower;
  for (const word of commandWords) {
    if (glob.includes('*') ? matchesWildcard(glob, word) : lower.includes('/') && (word.startsWith(`${lower}/`) || word.endsWith(`/${lower}`))) return true;
    if (lower.startsWith('--') && word.startsWith(`${lower}=`)) return true;
  }
  return false;
}

function mentioned(name: string, { mentions }: ActionWords): boolean {
  const lower = name.toLowerCase();
  if (mentions.has(lower)) return true;
  if (lower.includes('*')) return [...mentions].some((mention) => matchesWildcard(lower, mention));
  // `Clock` is named by `Instant.now(clock)` and `main` not by `main-menu`.
  return /^[\w.]+$/.test(lower) && [...mentions].some((mention) => mention.split(/[.()[\]'"=]+/).includes(lower));
}
