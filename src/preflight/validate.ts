import { Failure } from '../failure.ts';
import type { Conditions, Rule } from '../memory/memory.ts';
import { mostAlternatives } from './rules/braces.ts';
import { compilePathGlob, normalizeGlob, toNormalPath } from './rules/path-globs.ts';
import { compileCommandGlob, matchesWildcard, normalizeCommandGlob } from './rules/wildcards.ts';

/**
 * What keeps a well-formed rule from ever having an effect, as a refusal that names the field; undefined when there is nothing.
 * @param at path of the rule within the request.
 */
export function validateRule(rule: Rule, at = 'rule'): Failure | undefined {
  const inWhen = findInConditions(rule.when, `${at}.when`);
  if (inWhen) return inWhen;
  if (!rule.unless) return undefined;
  const inUnless = findInConditions(rule.unless, `${at}.unless`);
  if (inUnless) return inUnless;
  return alwaysExcepted(rule.when, rule.unless) ? refuse(`${at}.unless`, 'covers everything that `when` names, so the rule could never apply') : undefined;
}

function findInConditions(conditions: Conditions, at: string): Failure | undefined {
  const checks = [
    [conditions.action_types, 'action_types', typeProblem],
    [conditions.paths, 'paths', pathProblem],
    [conditions.commands, 'commands', commandProblem],
  ] as const;
  for (const [patterns, key, problemOf] of checks) {
    for (const [index, pattern] of (patterns ?? []).entries()) {
      const problem = problemOf(pattern);
      if (problem) return refuse(`${at}.${key}.${index}`, problem.message, problem.example);
    }
  }
  return conditions.paths && excludesItself(conditions.paths)
    ? refuse(`${at}.paths`, 'excludes with `!` every path that it names, so it could never match')
    : undefined;
}

interface Problem {
  message: string;
  example?: string;
}

function typeProblem(pattern: string): Problem | undefined {
  return /^[A-Za-z0-9_*-]+(\.[A-Za-z0-9_*-]+)*$/.test(pattern)
    ? undefined
    : { message: 'can never match: action types are dotted words of A-Z a-z 0-9 _ -, and `*`', example: 'code.patch.*' };
}

function pathProblem(glob: string): Problem | undefined {
  const { pattern } = normalizeGlob(glob);
  if (pattern === '') return { message: 'names no path', example: 'src/**' };
  if (pattern !== pattern.trim()) return { message: 'has white space around it, so it could hardly ever match', example: pattern.trim() };
  if (/[@+?*!]\(/.test(pattern))
    return {
      message: 'uses an extended glob, which is not supported; list the alternatives, or use {a,b} and a glob with `!` in front',
      example: 'src/{a,b}/**',
    };
  const [, inner] = /(?:^|\/)[^/]+\/(\.{1,2})(?:\/|$)/.exec(pattern) ?? [];
  if (inner !== undefined) return { message: `can never match: paths are compared without \`${inner}\` inside` };
  if (/\\(?![*?[\]{}!\\])/.test(pattern)) return { message: 'mixes slashes and backslashes; write folders with `/`', example: pattern.replaceAll('\\', '/') };
  return compileProblem(() => compilePathGlob(glob).matches(toNormalPath('')));
}

function compileProblem(compile: () => unknown): Problem | undefined {
  try {
    compile();
    return undefined;
  } catch {
    return { message: `has braces that stand for more than ${mostAlternatives} alternatives` };
  }
}

function commandProblem(glob: string): Problem | undefined {
  const normal = normalizeCommandGlob(glob);
  if (normal === '') return { message: 'names no command', example: 'git push *' };
  const tooMany = compileProblem(() => compileCommandGlob(glob)(''));
  if (tooMany) return tooMany;
  // `\;` ends an -exec and is a word of its own; what is piped into a shell is seen as it stands.
  const unquoted = glob
    .replace(/(["']).*?\1/g, '')
    .replace(/\\;|;$/g, '')
    .replace(/ \| (?=(?:sudo )?\S*(?:sh\b|\*))/, ' ');
  if (/&&|\|\||[;|\n]/.test(unquoted)) {
    const [first] = unquoted.split(/&&|\|\||[;|\n]/).map((part) => part.trim());
    return { message: 'can never match: every command of a line is compared by itself; list them one by one', ...(first && { example: first }) };
  }
  return undefined;
}

/** Whether the exception holds wherever the condition does, as far as the patterns themselves show. */
function alwaysExcepted(when: Conditions, unless: Conditions): boolean {
  return (
    covers(unless.action_types, when.action_types, (wide, narrow) => matchesWildcard(wide, narrow)) &&
    covers(unless.paths, when.paths, (wide, narrow) => wide === narrow || wide === '**' || wide === '**/*') &&
    covers(unless.commands, when.commands, (wide, narrow) => compileCommandGlob(wide)(normalizeCommandGlob(narrow)))
  );
}

function covers(wide: readonly string[] | undefined, narrow: readonly string[] | undefined, holds: (wide: string, narrow: string) => boolean): boolean {
  if (!wide) return true;
  if (!narrow) return wide.includes('*') || wide.includes('**');
  return narrow.every((pattern) => wide.some((other) => holds(other, pattern)));
}

function excludesItself(globs: readonly string[]): boolean {
  const parsed = globs.map(normalizeGlob);
  const excluded = new Set(parsed.filter(({ negated }) => negated).map(({ pattern }) => pattern));
  const named = parsed.filter(({ negated }) => !negated);
  return excluded.has('**') || (named.length > 0 && named.every(({ pattern }) => excluded.has(pattern)));
}

function refuse(field: string, problem: string, example?: string): Failure {
  return new Failure('validation', `\`${field}\` ${problem}.`, { field, ...(example !== undefined && { details: { example } }) });
}
