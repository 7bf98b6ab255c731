/** A run of letters, digits and marks, and the punctuation that glues it to the word before it, as `/` glues `pool` in `db/pool`. */
export interface Word {
  text: string;
  glue: string;
}

const run = /[\p{L}\p{N}\p{M}_]+/gu;
const glue = /^(?:[-./\\:@#+~]|::|:\/\/|\/\/)$/;
const contraction = /[’'](?:s|re|ve|ll|d|m|t)(?![\p{L}\p{N}_])/giu;

/** Splits text into words in one pass; the cost is linear whatever the text. */
export function splitWords(text: string): Word[] {
  const clean = text.normalize('NFKC').replace(contraction, ' ');
  const out: Word[] = [];
  let end = -1;
  for (const match of clean.matchAll(run)) {
    const near = end >= 0 && match.index - end <= 3;
    const between = near ? clean.slice(end, match.index) : '';
    out.push({ text: match[0], glue: glue.test(between) ? between : '' });
    end = match.index + match[0].length;
  }
  return out;
}

// Two capitals and two small letters, so that `HTTPServer` is http + server while `URLs` and `IDs` stay one word.
const hump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

/** The parts of a camelCase or snake_case word. */
export function splitHumps(word: string): string[] {
  return word.split('_').flatMap((part) => (part === '' ? [] : part.split(hump)));
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Cuts a word where writing without spaces begins or ends: `使用Python语言` is three runs. */
export function splitScripts(word: string): { text: string; spaced: boolean }[] {
  const out: { text: string; spaced: boolean }[] = [];
  let at = 0;
  for (const match of word.matchAll(unspaced)) {
    if (match.index > at) out.push({ text: word.slice(at, match.index), spaced: true });
    out.push({ text: match[0], spaced: false });
    at = match.index + match[0].length;
  }
  if (at < word.length) out.push({ text: word.slice(at), spaced: true });
  return out;
}

/** Overlapping pairs of characters, the usual index unit for writing without spaces; a lone character stands for itself. */
export function bigrams(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
