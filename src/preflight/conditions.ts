import type { Conditions, Rule } from '../memory/memory.ts';
import type { Action } from './action.ts';
import { compilePathGlob, isAbsolutePath, type NormalPath, normalizePath, type PathGlob, toNormalPath } from './rules/path-globs.ts';
import { type SimpleCommand, simpleCommands } from './rules/shell.ts';
import { type CommandGlob, compileCommandGlob, matchesWildcard } from './rules/wildcards.ts';

/** Which facts of an action a rule or a policy took hold of. */
export interface Matched {
  action_type?: string;
  paths?: string[];
  command?: string;
  relevance?: number;
}

/**
 * A rule applies when some file and some simple command of the action meet `when` and are not taken out by `unless`: file by file and
 * command by command, so that an exempt file never excuses its neighbour. Several conditions in one `unless` must hold together.
 * @returns what matched, or undefined when the rule does not apply.
 */
export function matchRule(rule: Rule, action: Action): Matched | undefined {
  const { when, unless } = rule;
  if (when.action_types && !matchesType(when.action_types, action.type)) return undefined;
  const files = when.paths ? filesOf(action).filter((file) => matchesFile(when.paths as string[], file)) : undefined;
  if (files?.length === 0) return undefined;
  const commands = when.commands ? commandsOf(action).filter(({ forms }) => matchesForm(when.commands as string[], forms)) : undefined;
  if (commands?.length === 0) return undefined;

  const left = unless ? notExcepted(unless, action, files, commands) : { files, commands };
  if (!left) return undefined;
  const [command] = left.commands ?? [];
  return {
    ...(when.action_types && { action_type: action.type }),
    ...(left.files && { paths: left.files.map(({ path }) => path) }),
    ...(command && { command: command.words.join(' ') }),
  };
}

type File = NormalPath & { tails: readonly NormalPath[] };

/** What the exception leaves of what was caught; undefined when that is nothing. */
function notExcepted(unless: Conditions, action: Action, files: File[] | undefined, commands: SimpleCommand[] | undefined) {
  if (unless.action_types && !matchesType(unless.action_types, action.type)) return { files, commands };
  const { paths, commands: globs } = unless;
  const otherFiles = paths && (files ?? filesOf(action)).filter((file) => !matchesFile(paths, file));
  const otherCommands = globs && (commands ?? commandsOf(action)).filter(({ core }) => !matchesForm(globs, core));
  const noFiles = !paths || (otherFiles?.length === 0 && (files ?? filesOf(action)).length > 0);
  const noCommands = !globs || (otherCommands?.length === 0 && (commands ?? commandsOf(action)).length > 0);
  if (noFiles && noCommands) return undefined;
  // With one condition what it took out is out; with two, a file is excused only together with the commands.
  return { files: files && otherFiles && noCommands ? otherFiles : files, commands: commands && otherCommands && noFiles ? otherCommands : commands };
}

/** The changed files that the globs name, normalised. */
export function matchPaths(globs: readonly string[], files: readonly string[]): string[] {
  return files
    .map(toFile)
    .filter((file) => matchesFile(globs, file))
    .map(({ path }) => path);
}

/** The first simple command of the line that the globs name. */
export function matchCommand(globs: readonly string[], line: string): string | undefined {
  return simpleCommands(line)
    .find(({ forms }) => matchesForm(globs, forms))
    ?.words.join(' ');
}

function matchesType(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern, type));
}

/** At least one glob names it and none with `!` in front; globs with `!` alone name everything else. */
function matchesFile(globs: readonly string[], file: File): boolean {
  let named = false;
  let positive = false;
  for (const glob of globs) {
    const compiled = compiledPath(glob);
    if (compiled.negated) {
      if (matchesTail(compiled, file)) return false;
    } else {
      positive = true;
      named ||= matchesTail(compiled, file);
    }
  }
  return named || !positive;
}

function matchesTail(glob: PathGlob, file: File): boolean {
  return glob.matches(file) || file.tails.some((tail) => glob.matches(tail));
}

function matchesForm(globs: readonly string[], forms: readonly string[]): boolean {
  return globs.some((glob) => {
    const matches = compiledCommand(glob);
    return forms.some(matches);
  });
}

/** Where the repository lies on disk is unknown, so an absolute path is also held against globs from each of its folders on. */
function toFile(path: string): File {
  const normal = toNormalPath(normalizePath(path));
  if (!isAbsolutePath(normal.path)) return { ...normal, tails: [] };
  const segments = normal.path.split('/');
  return { ...normal, tails: segments.slice(1).map((_, at) => toNormalPath(segments.slice(at + 1).join('/'))) };
}

const files = new WeakMap<Action, readonly File[]>();
const commands = new WeakMap<Action, readonly SimpleCommand[]>();

/** Parsed once per action, however many rules are held against it. */
export function filesOf(action: Action): readonly File[] {
  return remembered(files, action, () => action.files.map(toFile));
}

export function commandsOf(action: Action): readonly SimpleCommand[] {
  return remembered(commands, action, () => (action.command === undefined ? [] : simpleCommands(action.command)));
}

/** Rules are read from the store for every check; their globs are compiled once per process. */
const mostCompiled = 20_000;
const paths = new Map<string, PathGlob>();
const commandGlobs = new Map<string, CommandGlob>();

function compiledPath(glob: string): PathGlob {
  return remembered(paths, glob, () => compilePathGlob(glob));
}

function compiledCommand(glob: string): CommandGlob {
  return remembered(commandGlobs, glob, () => compileCommandGlob(glob));
}

interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

function remembered<Key, Value>(cache: Cache<Key, Value>, key: Key, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (cache instanceof Map && cache.size >= mostCompiled) cache.clear();
  cache.set(key, made);
  return made;
}
