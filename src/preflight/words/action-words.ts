import type { Action } from '../action.ts';
import { commandsOf } from '../conditions.ts';
import { type Amount, amountsIn } from './amounts.ts';
import { actsOf, conceptsOf, isStopWord, stem } from './lexicon.ts';
import { phrasalAt } from './phrases.ts';
import { partsOf, type Token, tokenize } from './tokens.ts';

/** What an action says about itself, made ready to be held against policies in plain words. */
export interface ActionWords {
  /** What is done: acts of the lexicon and stems of verbs, from the type, the command and the summary's verbs. */
  acts: ReadonlySet<string>;
  /** Concepts of everything said, except what is said to be absent. */
  said: ReadonlySet<string>;
  /** Stems of what is said to be absent ("without any tags") . */
  denied: ReadonlySet<string>;
  /** Concepts that only the paths hold. */
  filed: ReadonlySet<string>;
  /** Words of the summary as written, in lower case. */
  mentions: ReadonlySet<string>;
  /** Everything in the summary and the command, also what is denied and words that say little. */
  raw: ReadonlySet<string>;
  /** Stems of what "replace … with" replaces. */
  replaced: ReadonlySet<string>;
  /** The acts that the command does. */
  commandActs: ReadonlySet<string>;
  /** Words of the command, references reduced to what they name. */
  commandWords: ReadonlySet<string>;
  amounts: readonly Amount[];
  summary: string;
  /** It says enough about itself: files, a command, or a type that names an act. */
  told: boolean;
  /** It only changes texts about the project, or only looks. */
  writesAbout: boolean;
}

/** What well-known programs do, where their name does not say it. */
const programs: Readonly<Record<string, string>> = {
  rm: 'remove file',
  rmdir: 'remove folder',
  mv: 'rename',
  cp: 'copy',
  dd: 'overwrite',
  psql: 'console query database connect',
  mysql: 'console query database connect',
  sqlite3: 'console query database',
  mongosh: 'console query database connect',
  'redis-cli': 'console query database connect',
  curl: 'network download',
  wget: 'network download',
  ssh: 'connect network',
  scp: 'copy network upload',
  rsync: 'copy upload',
  sed: 'change',
  npm: 'package',
  yarn: 'package',
  pnpm: 'package',
  pip: 'package',
  docker: 'container',
};

/** Subcommands that look and change nothing. */
const lookingVerbs = new Set('get describe status log logs diff info show ls list top version help check view'.split(' '));

export function actionWords(action: Action): ActionWords {
  const said = new Set<string>();
  const acts = new Set<string>();
  const summary = tokenize(action.summary);
  const denied = deniedIn(summary);
  for (const part of action.type.split(/[._-]/)) {
    addAll(acts, actsNamed(part));
    addConcepts(said, part);
  }
  for (const [at, token] of summary.entries()) {
    if (token.is === 'mark' || denied.at.has(at) || isStopWord(token.text.toLowerCase())) continue;
    addConcepts(said, token.text);
  }
  addAll(acts, verbsOf(summary, denied.at));
  if (/#[0-9a-f]{3,8}\b/i.test(action.summary)) addConcepts(said, 'hex');
  const commandWords = new Set<string>();
  const commandActs = new Set<string>();
  for (const { words } of commandsOf(action)) readCommand(words, { acts: commandActs, said, commandWords });
  addAll(acts, commandActs);

  const filed = new Set<string>();
  for (const file of action.files) addConcepts(filed, file);
  return {
    acts,
    said,
    denied: denied.stems,
    filed,
    mentions: new Set(summary.filter(({ is }) => is !== 'mark').flatMap(({ text }) => [text.toLowerCase(), text.toLowerCase().replace(/[-_]/g, '')])),
    commandWords,
    commandActs,
    raw: new Set([...summary.flatMap(({ parts }) => parts), ...[...commandWords].flatMap(partsOf), ...partsOf(action.type)]),
    replaced: replacedIn(summary),
    amounts: amountsIn(`${action.summary} ${action.command ?? ''}`),
    summary: action.summary,
    told: action.files.length > 0 || action.command !== undefined || action.type.split(/[._-]/).some((part) => actsOf(stem(part)).length > 0),
    writesAbout: writesAbout(action),
  };
}

function readCommand(words: readonly string[], { acts, said, commandWords }: { acts: Set<string>; said: Set<string>; commandWords: Set<string> }): void {
  const [program = '', ...rest] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const meant = Object.hasOwn(programs, name) ? (programs[name] as string).split(' ') : [];
  const verbs = [
    name,
    ...meant,
    ...rest
      .filter((word) => /^[a-z][a-z-]+$/i.test(word))
      .slice(0, 2)
      .map((word) => (lookingVerbs.has(word) ? 'read' : word)),
  ];
  for (const verb of verbs) {
    for (const part of partsOf(verb)) addAll(acts, actsOf(part));
  }
  for (const word of meant) addConcepts(said, word);
  for (const word of words) {
    addConcepts(said, word);
    commandWords.add(word.toLowerCase());
    for (const piece of word.split(/[:=,@]/)) commandWords.add(piece.replace(/^\+?(?:refs\/heads\/|origin\/)?/, '').toLowerCase());
  }
  if (rest.some((word) => /^(?:-f|--force)$/.test(word)) || rest.some((word) => /^--force-with-lease/.test(word))) addAll(acts, ['overwrite']);
}

/** Imperatives: the first word, and those that "and", "then", "by" or "to" lead in. */
function verbsOf(tokens: readonly Token[], denied: ReadonlySet<number>): string[] {
  return tokens.flatMap((token, at) => {
    const previous = tokens[at - 1];
    const leads = at === 0 || previous?.text === ',' || /^(?:and|then|by|to|or|so)$/i.test(previous?.text ?? '');
    if (!leads || token.is !== 'word' || denied.has(at)) return [];
    const phrasal = phrasalAt(tokens, at);
    if (phrasal) return [phrasal.act];
    const known = actsOf(token.stem);
    return known.length > 0 ? known : at === 0 || /ing$/.test(token.text) ? [token.stem] : [];
  });
}

function actsNamed(word: string): readonly string[] {
  const [whole] = partsOf(word);
  return whole === undefined ? [] : [whole, ...actsOf(whole)];
}

/** The content words that a negation takes away. */
function deniedIn(tokens: readonly Token[]): { at: Set<number>; stems: Set<string> } {
  const at = new Set<number>();
  const stems = new Set<string>();
  const deny = (index: number) => {
    const token = tokens[index];
    if (!token || token.is === 'mark') return;
    at.add(index);
    for (const part of token.parts) stems.add(part);
  };
  for (const [index, token] of tokens.entries()) {
    const lower = token.text.toLowerCase();
    if (/^(?:no|not|without|never|nobody|neither|nor)$/.test(lower) || (lower === 'of' && /^instead$/i.test(tokens[index - 1]?.text ?? ''))) {
      for (let next = index + 1; next <= index + 5 && next < tokens.length; next += 1) {
        const { is, text } = tokens[next] as Token;
        if (
          is === 'mark' ||
          (next > index + 1 && /^(?:and|but|in|on|at|for|to|from|with|because|so|that|which|when|while|until|before|during|after)$/i.test(text))
        )
          break;
        deny(next);
      }
    } else if (/^(?:unchanged|missing|absent|stripped|removed)$/.test(lower)) deny(index - 1);
  }
  return { at, stems };
}

function replacedIn(tokens: readonly Token[]): Set<string> {
  const stems = new Set<string>();
  const verb = tokens.findIndex(({ text }) => /^replac(?:e|ing)$/i.test(text));
  const by = tokens.findIndex(({ text }, at) => at > verb && /^(?:with|by)$/i.test(text));
  if (verb >= 0 && by > verb) for (const { parts } of tokens.slice(verb + 1, by)) addAll(stems, parts);
  return stems;
}

const documentTypes = /^(?:docs?|documentation|wiki|handbook)(?:[._-]|$)/i;
const lookingTypes = /(?:^|[._-])(?:read|view|list|show|search|status|describe|explain|review|inspect|report|plan)(?:[._-]|$)/i;

function writesAbout({ type, files }: Action): boolean {
  if (documentTypes.test(type) || lookingTypes.test(type)) return true;
  return files.length > 0 && files.every((file) => /\.(?:md|mdx|rst|adoc|txt)$/i.test(file) && /(?:^|[\\/])docs?[\\/]/i.test(file));
}

function addConcepts(to: Set<string>, word: string): void {
  for (const part of partsOf(word)) addAll(to, conceptsOf(part));
}

function addAll<T>(to: Set<T>, items: Iterable<T>): void {
  for (const item of items) to.add(item);
}
