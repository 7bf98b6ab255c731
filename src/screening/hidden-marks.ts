/** Characters that no reader sees, told apart from the same characters where a script or an emoji needs them. */

const softHyphen = '\u00ad';
/** Default-ignorable marks that part words without being seen; variation selectors and tags are looked at apart. */
const invisible = /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/u;
const selector = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const tag = /[\u{e0000}-\u{e007f}]/u;
const rightToLeft = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;
/** Other scripts part words and join letters by marks that cannot be seen; these need none. */
const unjoined = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}]/u;
const takesNoSelector = /[A-Za-z\s.,;:!?]/;

/** The only tags in use: England, Scotland and Wales are a black flag, their code in tags, and an end. */
const flagEmoji = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{3,6}\u{e007f}/gu;

/** Three in a row carry a message; one is a leftover of copying. */
const longestRun = 2;
/** So many Latin words may be parted: line-break hints in long identifiers look like this. */
const partedWords = 3;

const mark = `${invisible.source}|${selector.source}|${tag.source}`;
const anyMark = new RegExp(mark, 'u');
const everyMark = new RegExp(mark, 'gu');

/** The text as it is seen. */
export function stripHidden(text: string): string {
  return text.replace(everyMark, '');
}

/** Whether a text holds marks that serve nothing but to hide text or its order. */
export function hasHiddenMarks(text: string): boolean {
  return anyMark.test(text) && (smugglesTags(text) || reordersText(text) || hasMarksOutOfPlace(text));
}

function smugglesTags(text: string): boolean {
  return tag.test(text.replace(flagEmoji, ''));
}

/** Overrides show a text in another order than it is read in (Trojan Source, CVE-2021-42574); so do marks left open, and right-to-left ones without such letters. */
function reordersText(text: string): boolean {
  if (/[\u202d\u202e]/.test(text)) return true;
  if (/[\u202b\u2067]/.test(text) && !rightToLeft.test(text)) return true;
  return text.split('\n').some((line) => {
    let embeddings = 0;
    let isolates = 0;
    for (const mark of line.match(/[\u202a-\u202c\u2066-\u2069]/g) ?? []) {
      if (mark === '\u202c') embeddings--;
      else if (mark === '\u2069') isolates--;
      else if (mark < '\u2066') embeddings++;
      else isolates++;
      if (embeddings < 0 || isolates < 0) return true;
    }
    return embeddings !== 0 || isolates !== 0;
  });
}

function hasMarksOutOfPlace(text: string): boolean {
  let run = 0;
  let parted = 0;
  let misplaced = 0;
  let before = '';
  let inSelectors = false;
  for (const char of text) {
    if (char >= '\u206a' && char <= '\u206f') return true;
    if (selector.test(char)) {
      if (inSelectors) return true;
      // Supplementary selectors choose among forms of Han letters, and of nothing else.
      if (char.length === 2 && !/\p{Script=Han}/u.test(before)) return true;
      if (takesNoSelector.test(before) && ++misplaced > 1) return true;
      inSelectors = true;
      continue;
    }
    inSelectors = false;
    if (invisible.test(char)) {
      // A soft hyphen between letters is what it is for.
      if (char !== softHyphen && ++run > longestRun) return true;
      continue;
    }
    if (run > 0 && unjoined.test(before) && unjoined.test(char) && ++parted > partedWords) return true;
    run = 0;
    before = char;
  }
  return false;
}
