import { expandBraces } from './braces.ts';
import { innerSpace } from './shell.ts';

/** `*` stands for any run of characters; everything else for itself. Linear, whatever the pattern. */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchPieces(pattern.split('*'), text, (piece, from) => text.indexOf(piece, from));
}

/** A command glob, made ready once. */
export type CommandGlob = (form: string) => boolean;

/**
 * A glob over one form of a simple command: `*` is any run of characters, `{a,b}` either. A space matches white space; one in front of a dash only between words, so that what a quoted
 * word says is never taken for an option.
 */
export function compileCommandGlob(glob: string): CommandGlob {
  const alternatives = expandBraces(normalizeCommandGlob(glob)).map((alternative) => {
    const pieces = alternative.split('*');
    const [head = ''] = pieces;
    return { pieces, first: head.slice(0, head.includes(' ') ? head.indexOf(' ') : head.length) };
  });
  return (form) => {
    const possible = alternatives.filter(({ first }) => form.startsWith(first));
    if (possible.length === 0) return false;
    const text = form.replaceAll(innerSpace, ' ');
    return possible.some(({ pieces }) => matchPieces(pieces, text, (piece, from) => findPiece(piece, text, form, from)));
  };
}

/** White space evened out and quotes taken off, as in the commands that it is held against. */
export function normalizeCommandGlob(glob: string): string {
  return glob
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(^|[ =])(["'])(.*?)\2(?= |$)/g, '$1$3');
}

function findPiece(piece: string, text: string, form: string, from: number): number {
  for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1)) {
    if (dashesBetweenWords(piece, form, at)) return at;
  }
  return -1;
}

function dashesBetweenWords(piece: string, form: string, at: number): boolean {
  for (let dash = piece.indexOf(' -'); dash >= 0; dash = piece.indexOf(' -', dash + 1)) {
    if (form[at + dash] === innerSpace) return false;
  }
  return true;
}

/** The first piece at the start, the last at the end, those between one after another. */
function matchPieces(pieces: readonly string[], text: string, find: (piece: string, from: number) => number): boolean {
  const [head = '', ...rest] = pieces;
  if (find(head, 0) !== 0) return false;
  const tail = rest.pop();
  if (tail === undefined) return head.length === text.length;
  const end = text.length - tail.length;
  if (end < head.length || find(tail, end) !== end) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = find(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
