import { veilNames } from './names-in-text.ts';

/** One clause of a policy with the heading it stands under. */
export interface Clause {
  text: string;
  /** Nearest heading or opening line ("Never:", "## Ask first"). */
  heading: string | undefined;
  /** Which sentence of the policy it belongs to. */
  sentence: number;
}

/** Cuts a policy into clauses: at headings, bullets, sentences, and where a new order begins inside a sentence. Code blocks are left out. */
export function clausesOf(content: string): Clause[] {
  const clauses: Clause[] = [];
  let heading: string | undefined;
  let sentence = 0;
  let paragraph: string[] = [];
  let underHeading: string | undefined;

  const flush = () => {
    for (const one of sentencesOf(paragraph.join(' '))) {
      sentence += 1;
      for (const text of cut(one)) clauses.push({ text, heading: underHeading, sentence });
    }
    paragraph = [];
  };
  for (const line of content.replace(/```[\s\S]*?(?:```|$)/g, '\n').split(/\r?\n/)) {
    const title = headingOf(line);
    const bullet = /^\s*(?:[-*+•]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    if (title !== undefined || bullet !== undefined || line.trim() === '') flush();
    if (title !== undefined) {
      heading = title;
    } else if (bullet !== undefined) {
      underHeading = heading;
      paragraph.push(bullet.replace(/^\[[ x]\]\s+/i, ''));
    } else if (line.trim() !== '') {
      if (paragraph.length === 0) underHeading = heading;
      paragraph.push(line.trim());
    }
  }
  flush();
  return clauses;
}

/** `## Never`, `**Ask first**`, `Never:`. */
function headingOf(line: string): string | undefined {
  const marked = /^\s*#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] ?? /^\s*\*\*(.{1,80}?)\*\*:?\s*$/.exec(line)?.[1];
  if (marked !== undefined) return marked.replace(/:$/, '');
  return /^\s*(?![-*+•])([^`]{2,120}):\s*$/.exec(line)?.[1]?.trim();
}

/** Sentences; dots inside names, numbers, quotes and common abbreviations do not end one. */
export function sentencesOf(text: string): string[] {
  const veiled = veilNames(text);
  return veiled.text
    .replace(/\*\*|__/g, '')
    .replace(/\b(e\.g|i\.e|etc|vs|approx|resp)\./gi, '$1\uE002')
    .split(/(?<=[.!?]["')\]]?)\s+/)
    .map((part) => veiled.lift(part.replaceAll('\uE002', '.')).trim())
    .filter((part) => part !== '');
}

const newOrder = String.raw`(?:never|do not|don['’]t|must(?: not)?|may not|always|only|ask|prefer|avoid)\b`;
const between = new RegExp(
  String.raw`;\s+|\s[—–]\s|\s-\s|(?<=[\w\uE001)]):\s+|,?\s+but\s+(?=${newOrder})|,\s+(?:and\s+)?(?=${newOrder})|\s+and\s+(?=(?:never|do not|don['’]t|must not|must|may not|always)\b)`,
  'giu',
);
const condition = /^(?:in|on|at|for|when|whenever|if|before|after|during|under|within|unless)\b/i;

/** Cuts where a new order begins; a label ("Unsafe code: forbidden") and a condition stay with what follows them. */
function cut(sentence: string): string[] {
  const veiled = veilNames(sentence);
  const pieces = veiled.text.split(between);
  const marks = [...veiled.text.matchAll(between)].map(([mark]) => mark.trim());
  const joined: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    const mark = marks[at - 1];
    const last = joined.at(-1);
    if (last !== undefined && mark === ':' && (countWords(last) <= 4 || countWords(piece) <= 3)) joined[joined.length - 1] = `${last}: ${piece}`;
    else if (last !== undefined && mark === ',' && condition.test(last)) joined[joined.length - 1] = `${last}, ${piece}`;
    else joined.push(piece);
  }
  return joined.map((piece) => veiled.lift(piece).trim()).filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

function countWords(text: string): number {
  return text.split(/\s+/).length;
}
