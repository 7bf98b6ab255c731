import { type Command, forEachChild, type ParsedScript, type Pipeline, parse, type Redirection, type SyntaxNode } from 'unbash';
import { inside, programName, withoutGlobalOptions } from './wrappers.ts';

/** One command of a command line: `cd a && sudo rm b` holds two. */
export interface SimpleCommand {
  /** Its words with quotes taken off; what `sudo`, `env` and the like put in front is left out. */
  words: readonly string[];
  /**
   * Every way to write it that a glob may name, words joined by one space: as it stands, without `sudo`, without the program's folder,
   * with the variables set in front, with its redirections. White space inside a word is written as `innerSpace`.
   */
  forms: readonly string[];
  /** The forms of what is run in the end: who excepts `env` does not except `env rm`. */
  core: readonly string[];
}

/** Stands for white space inside one word, so that `git commit -m "say --force"` has no option `--force`. */
export const innerSpace = '\u00a0';

/** Shells within shells are followed this deep. */
const deepest = 6;
/** More commands than any honest line holds. */
const mostCommands = 1_000;

/**
 * The commands that a line runs, also those in lists, pipes, substitutions, loops, inner shells and here-documents. What the parser
 * cannot make sense of is cut at the operators instead, so that a broken line never shows less than its raw text does.
 */
export function simpleCommands(line: string): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  readScript(line, 0, found);
  return found;
}

function readScript(text: string, depth: number, found: SimpleCommand[]): void {
  if (depth > deepest || found.length >= mostCommands) {
    found.push(...rawPieces(text));
    return;
  }
  let broken = true;
  try {
    broken = walk(parse(text), depth, found);
  } catch (error) {
    // Thousands of open brackets are deeper than the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  if (broken) found.push(...rawPieces(text));
}

/** @returns whether anything in it could not be parsed. */
function walk(node: SyntaxNode, depth: number, found: SimpleCommand[]): boolean {
  let broken = node.type === 'Script' && ((node as ParsedScript).errors?.length ?? 0) > 0;
  if (node.type === 'Command') readCommand(node, depth, found);
  if (node.type === 'Pipeline') readPiped(node, depth, found);
  if (found.length >= mostCommands) return true;
  forEachChild(node, (child) => {
    if (walk(child, depth, found)) broken = true;
  });
  return broken;
}

function readCommand(command: Command, depth: number, found: SimpleCommand[]): void {
  const words = wordsOf(command);
  const redirected = command.redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.target ? [`${redirect.operator} ${written(redirect.target.value)}`] : [],
  );
  const assigned = command.prefix.flatMap((part) => (part.type === 'Assignment' ? [written(part.text)] : []));
  if (words.length > 0) addCommand(words, { assigned, redirected }, depth, found);
  for (const target of command.redirects.flatMap(writtenTo)) found.push(plainCommand(['>', target]));
  if (innermost(words).runsInput) for (const text of inputOf(command.redirects)) readScript(text, depth + 1, found);
}

function addCommand(
  given: readonly string[],
  around: { assigned: readonly string[]; redirected: readonly string[] },
  depth: number,
  found: SimpleCommand[],
): void {
  const forms = new Set<string>();
  let core: string[] = [];
  let words = given;
  for (let layer = 0; layer < deepest; layer += 1) {
    const plain = [words, [programName(words[0] as string), ...words.slice(1)], withoutGlobalOptions(words) ?? words].map((form) =>
      form.map(written).join(' '),
    );
    const [first = ''] = plain;
    core = layer === 0 && around.assigned.length > 0 ? [...plain, `${around.assigned.join(' ')} ${first}`] : plain;
    for (const form of core) forms.add(form);
    if (around.redirected.length > 0) forms.add(`${first} ${around.redirected.join(' ')}`);
    const { peeled, commands, scripts } = inside(words);
    for (const command of commands ?? []) addCommand(command, { assigned: [], redirected: [] }, depth, found);
    for (const script of scripts ?? []) readScript(script, depth + 1, found);
    if (!peeled) break;
    words = peeled;
  }
  found.push({ words, forms: [...forms], core });
}

function plainCommand(words: readonly string[]): SimpleCommand {
  const form = words.map(written).join(' ');
  return { words, forms: [form], core: [form] };
}

/** What a redirection writes to counts as a command of its own, `> file`, so that no exception for the command covers it. */
function writtenTo(redirect: Redirection): string[] {
  if (redirect.type !== 'Redirect' || !redirect.target || !redirect.operator.includes('>')) return [];
  const { value } = redirect.target;
  return /^(?:\d+|-|\/dev\/(?:null|stdout|stderr|tty|fd\/\d+))$/.test(value) ? [] : [value];
}

/** `echo "rm x" | sh` and `cat <<EOF | sh` run what is written into the pipe; `curl x | sh`, whatever it is, shows as it stands. */
function readPiped(pipeline: Pipeline, depth: number, found: SimpleCommand[]): void {
  for (const [at, command] of pipeline.commands.entries()) {
    const before = pipeline.commands[at - 1];
    if (command.type !== 'Command' || before?.type !== 'Command' || !innermost(wordsOf(command)).runsInput) continue;
    found.push(plainCommand([...wordsOf(before), '|', ...wordsOf(command)]));
    const [name = '', ...rest] = wordsOf(before);
    const said = name === 'echo' || name === 'printf' ? [rest.filter((word) => !/^-[neE]+$/.test(word)).join(' ')] : inputOf(before.redirects);
    for (const text of said) readScript(text, depth + 1, found);
  }
}

function innermost(words: readonly string[]) {
  let found = inside(words);
  for (let layer = 0; found.peeled && layer < deepest; layer += 1) found = inside(found.peeled);
  return found;
}

function wordsOf(command: Command): string[] {
  const rest = command.args.map((argument) => (argument.type === 'Word' ? argument.value : argument.text));
  return command.name ? [command.name.value, ...rest] : [];
}

function inputOf(redirects: readonly Redirection[]): string[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return [redirect.body.text];
    return redirect.type === 'HereString' && redirect.target ? [redirect.target.value] : [];
  });
}

/** A word as forms hold it. */
function written(word: string): string {
  return word.replace(/\s/g, innerSpace);
}

/** The line as it stands and cut at `&&`, `||`, `;`, `|` and line ends, quotes or not. */
function rawPieces(text: string): SimpleCommand[] {
  const even = (piece: string) => piece.trim().replace(/[^\S\n]+/g, ' ');
  const pieces = new Set([even(text.replaceAll('\n', ' ')), ...text.split(/&&|\|\||[;|&\n]/).map(even)]);
  pieces.delete('');
  return [...pieces].map((piece) => {
    const words = piece.split(' ');
    const peeled = inside(words).peeled?.join(' ');
    return { words, forms: peeled === undefined ? [piece] : [piece, peeled], core: [peeled ?? piece] };
  });
}
