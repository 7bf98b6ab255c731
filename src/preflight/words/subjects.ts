import { actsOf } from './lexicon.ts';
import type { Force, Modality } from './modality.ts';
import { veilNames } from './names-in-text.ts';
import { isContent, type Part, toPart } from './phrases.ts';
import { type Token, tokenize } from './tokens.ts';

/** What a clause is about, where its verb stands, and what it asks for. */
export interface Subject {
  about: string;
  /** Index of the word that must be a verb; -1 when none must. */
  verbAt: number;
  required?: Part;
}

/** What stands in brackets, and examples, illustrate; they do not bound. */
export function withoutBrackets(text: string): string {
  const veiled = veilNames(text);
  return veiled.lift(veiled.text.replace(/\([^()]*\)|\b(?:e\.g\.|such as|for example)[^,;.\uE002]*/gi, ' '));
}

export interface Taken {
  kept: string;
  exceptions: Part[];
  provisos: Part[];
}

const exceptionWords =
  /\b(?:unless|except(?:ing)?(?: for| in| when| that| if)?|other than|apart from|aside from|excluding|save for|anywhere but|anything but|nothing but)\b/i;
const provisoWords = /\b(?:without|until|with no)\b/i;

/** Cuts out "unless …", "except …", and what may not be missing ("without …"). */
export function takeOut(text: string, force: Force | 'tell' | 'state'): Taken {
  const [afterExceptions, exceptions] = cutAt(text, exceptionWords);
  const [kept, provisos] = force === 'forbid' ? cutAt(afterExceptions, provisoWords) : [afterExceptions, []];
  return { kept, exceptions, provisos };
}

function cutAt(text: string, words: RegExp): [kept: string, parts: Part[]] {
  const found = words.exec(text);
  if (!found) return [text, []];
  const rest = text.slice(found.index + found[0].length);
  const leads = text.slice(0, found.index).trim() === '';
  const comma = rest.indexOf(',');
  const stop = rest.indexOf('\uE002');
  const end = leads && comma >= 0 ? comma + 1 : stop >= 0 ? stop : rest.length;
  return [`${text.slice(0, found.index)} ${rest.slice(end)}`, [toPart(rest.slice(0, end))]];
}

export function subjectOf(before: string, after: string, { force, cue }: Modality): Subject {
  switch (force) {
    case 'ask':
      return askedAbout(before, after, cue);
    case 'oblige':
      return dutyOf(before, after);
    case 'permit':
      return /^(?:is|are)\b/i.test(cue)
        ? { about: `${before} ${/^(?:in|under|for|on|at|from|below|with)\b/i.test(after) ? after : ''}`, verbAt: -1 }
        : { about: `${before} ${after}`, verbAt: -1 };
    case 'discourage':
      return { about: `${before} ${after}`, verbAt: /^\W*\w+ing\b/.test(after) || /should/i.test(cue) ? tokenize(before).length : -1 };
    case 'forbid': {
      if (/^\W*(?:in [^,]*, )?only/i.test(cue)) return reserved(before, after);
      const verbal = /\b(?:never|not|n['’]t|ever|be)$/i.test(cue);
      return { about: `${before} ${after}`, verbAt: verbal ? tokenize(before).length : -1 };
    }
  }
}

/** "Only the working group changes `src/crypto/`": what is reserved begins with the verb. */
function reserved(before: string, after: string): Subject {
  const tokens = tokenize(after);
  const verb = tokens.findIndex(
    (token, at) =>
      at > 0 && token.is === 'word' && (/^(?:may|can|is|are)$/i.test(tokens[at - 1]?.text ?? '') || (/s$/.test(token.text) && actsOf(token.stem).length > 0)),
  );
  const from = Math.max(verb, 0);
  return { about: `${before} , ${tokens.slice(from).map(written).join(' ')}`, verbAt: tokenize(before).length + 1 };
}

function written(token: Token): string {
  return token.is === 'name' ? `\`${token.text}\`` : token.text;
}

const leadWords = '(?:before|prior to|when(?:ever)?|if|once|after)';

/** What has to be asked about: what follows "before", else the subject, else what the consent is for. */
function askedAbout(before: string, after: string, cue: string): Subject {
  const led = new RegExp(String.raw`\b${leadWords}\s+(.*)$`, 'is').exec(`${cue} ${after}`)?.[1]?.replace(/^(?:you|we|ever)\b\s*/i, '');
  const leading = new RegExp(String.raw`^\W*${leadWords}\s+(.*?),?\s*$`, 'is').exec(before)?.[1];
  if (led !== undefined && hasContent(led)) return { about: led, verbAt: /^\w+ing\b/.test(led.trim()) ? 0 : -1 };
  if (leading !== undefined && hasContent(leading)) return { about: leading, verbAt: -1 };
  if (/^approves/i.test(cue)) return { about: after, verbAt: -1 };
  if (hasContent(before)) return { about: `${before} ${/^\s*(?:to|for|on)\b/.test(after) ? after : ''}`, verbAt: -1 };
  return { about: after.replace(/^\s*(?:from|by|of|with)\s+[^,]*?(?=\b(?:to|for|on)\b|$)/i, ''), verbAt: -1 };
}

/** "Images should stay below 200 kB": what it is about, and what is asked of it. */
export function dutyOf(before: string, after: string): Subject {
  const led = new RegExp(String.raw`^(.*?)\b(?:${leadWords}|for|in)\s+(.*)$`, 'is').exec(after);
  const subject = before.replace(new RegExp(String.raw`^\W*(?:${leadWords}|in|for)\s+`, 'i'), '');
  if (hasContent(subject)) return { about: subject, verbAt: -1, required: toPart(after.replace(/^.*\bwithout\b(?! (?:it|them|this|that)\b)/i, 'without')) };
  const [, asked = '', occasion = ''] = led ?? [];
  if (hasContent(asked) && hasContent(occasion)) return { about: occasion, verbAt: /^\w+ing\b/.test(occasion) ? 0 : -1, required: toPart(asked) };
  return { about: after, verbAt: -1, required: toPart(after) };
}

const roles = /^(?:agent|user|contributor|developer|maintainer|important|critical|note|please|you|people)s?$/i;

/** "… instead of relying on web search". */
export function avoidedIn(text: string): Part | undefined {
  const [, avoided] = /\b(?:instead of|rather than|in place of|not (?:via|by|with))\s+([^;.]*)/i.exec(text) ?? [];
  return avoided === undefined ? undefined : toPart(avoided);
}

export function hasContent(text: string): boolean {
  return tokenize(text).some((token) => isContent(token) && !roles.test(token.text));
}
