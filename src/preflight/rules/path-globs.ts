import { expandBraces } from './braces.ts';

/**
 * Globs over paths, with the syntax and the results of picomatch (`dot: true, nocase: true`, no extended globs), but without regular
 * expressions, which backtrack: picomatch's took 2.3 s for one glob with three `**` against a path of 500 folders, and globs and paths
 * come from callers. Here the cost of a match is bounded by the product of the two lengths.
 *
 * `*` any run within a segment, `**` any number of segments, `?` one character, `[a-z]` and `[!a-z]`, `{a,b}`, `!` in front, `\` escapes.
 * Dot files count. Case does not: the common file systems of Windows and macOS would name the same file.
 */
export interface PathGlob {
  negated: boolean;
  matches(path: NormalPath): boolean;
}

/** A normalised path, ready to be held against globs. */
export interface NormalPath {
  path: string;
  lower: string;
  segments: readonly string[];
}

type Token = { is: 'char'; char: string } | { is: 'any' } | { is: 'run' } | { is: 'class'; test(char: string): boolean };
type Segment = '**' | { literal: string } | { tokens: readonly Token[]; literally: string };

export function toNormalPath(path: string): NormalPath {
  const lower = path.toLowerCase();
  return { path, lower, segments: lower.split('/') };
}

/**
 * One spelling per file: forward slashes, no `.` and `..` inside, no doubled or closing slash. What leads out of the repository keeps its
 * `../` and matches only globs that begin so; absolute paths keep their root.
 */
export function normalizePath(path: string): string {
  const slashed = path.normalize('NFC').replaceAll('\\', '/');
  const root = /^(?:[A-Za-z]:)?\//.exec(slashed)?.[0] ?? '';
  const kept: string[] = [];
  for (const segment of slashed.slice(root.length).split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (segment !== '..' || root === '') kept.push(segment);
  }
  return root + kept.join('/');
}

export function isAbsolutePath(path: string): boolean {
  return /^(?:[A-Za-z]:)?\//.test(path) || path.startsWith('~/');
}

/** @throws Error when the braces stand for too many alternatives. */
export function compilePathGlob(glob: string): PathGlob {
  const { negated, pattern } = normalizeGlob(glob);
  const alternatives = expandBraces(pattern.toLowerCase()).map((alternative) => ({
    prefix: literalPrefix(alternative),
    segments: alternative.split('/').map(compileSegment),
  }));
  return {
    negated,
    matches: ({ lower, segments }) => alternatives.some((alternative) => lower.startsWith(alternative.prefix) && matchSegments(alternative.segments, segments)),
  };
}

/** `.\src\` and `./src/` are written for `src/**`. */
export function normalizeGlob(glob: string): { negated: boolean; pattern: string } {
  const negated = glob.startsWith('!');
  let pattern = (negated ? glob.slice(1) : glob).normalize('NFC');
  // A backslash escapes; but before a letter there is nothing to escape, and the glob is one from Windows.
  if (!pattern.includes('/') && /\\[\w.]/.test(pattern)) pattern = pattern.replace(/\\(?=[\w.*])/g, '/');
  pattern = pattern.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
  if (pattern.endsWith('/')) pattern += '**';
  return { negated, pattern };
}

/** What every match begins with; up to the last slash before the first wildcard, so that `public/**` still finds `public`. */
function literalPrefix(pattern: string): string {
  const magic = pattern.search(/[*?[\\]/);
  if (magic < 0) return pattern;
  const literal = pattern.slice(0, magic);
  return pattern.slice(magic) === '**' && literal.endsWith('/') ? literal.slice(0, -1) : literal;
}

function compileSegment(segment: string): Segment {
  if (segment === '**') return '**';
  const tokens: Token[] = [];
  for (let at = 0; at < segment.length; at += 1) {
    const char = segment[at] as string;
    if (char === '\\' && at + 1 < segment.length) {
      at += 1;
      tokens.push({ is: 'char', char: segment[at] as string });
    } else if (char === '*') {
      if (tokens.at(-1)?.is !== 'run') tokens.push({ is: 'run' });
    } else if (char === '?') tokens.push({ is: 'any' });
    else if (char === '[') {
      const end = segment.indexOf(']', at + 2);
      if (end < 0) tokens.push({ is: 'char', char });
      else {
        tokens.push({ is: 'class', test: compileClass(segment.slice(at + 1, end)) });
        at = end;
      }
    } else tokens.push({ is: 'char', char });
  }
  const literal = tokens.every((token) => token.is === 'char');
  return literal ? { literal: tokens.map((token) => (token.is === 'char' ? token.char : '')).join('') } : { tokens, literally: segment };
}

function compileClass(body: string): (char: string) => boolean {
  const negated = body.startsWith('!') || body.startsWith('^');
  const chars = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const from = chars[at] as string;
    const to = chars[at + 2];
    if (chars[at + 1] === '-' && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}

/** `**` takes as few segments as it can and one more each time the rest does not fit. */
function matchSegments(globs: readonly Segment[], segments: readonly string[]): boolean {
  let glob = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < segments.length) {
    const part = globs[glob];
    if (part === '**') {
      star = glob;
      resume = at;
      glob += 1;
    } else if (part !== undefined && matchSegment(part, segments[at] as string)) {
      glob += 1;
      at += 1;
    } else if (star >= 0 && !isDots(segments[resume] as string)) {
      resume += 1;
      at = resume;
      glob = star + 1;
    } else return false;
  }
  while (globs[glob] === '**') glob += 1;
  return glob === globs.length;
}

function matchSegment(part: Exclude<Segment, '**'>, text: string): boolean {
  if ('literal' in part) return part.literal === text;
  // Frameworks name folders `[slug]`: a class also stands for itself.
  return part.literally === text || (!isDots(text) && text !== '' && matchTokens(part.tokens, text));
}

function matchTokens(tokens: readonly Token[], text: string): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const part = tokens[token];
    if (part?.is === 'run') {
      star = token;
      resume = at;
      token += 1;
    } else if (part && fits(part, text[at] as string)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      token = star + 1;
    } else return false;
  }
  while (tokens[token]?.is === 'run') token += 1;
  return token === tokens.length;
}

function fits(token: Token, char: string): boolean {
  if (token.is === 'char') return token.char === char;
  return token.is === 'any' || (token.is === 'class' && token.test(char));
}

/** Wildcards never stand for `.` and `..`. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}
