/** Letters of other scripts that are drawn like Latin ones (Unicode TR 39, the part that occurs in practice). */
const drawnLike: Record<string, string> = {
  АВЕЅІЈКМНОРСТУХԚԜ: 'ABESIJKMHOPCTYXQW',
  авеѕіјкорсухԁһӏԛԝ: 'abesijkopcyxdhlqw',
  ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ: 'ABEZHIKMNOPTYX',
  αικνορυ: 'aikvopu',
};
const latinFor = new Map(Object.entries(drawnLike).flatMap(([foreign, latin]) => [...foreign].map((char, at) => [char, latin[at] ?? ''] as const)));

const word = /[\p{L}\p{M}]+/gu;
const latin = /\p{Script=Latin}/u;

/** Shorter words mix scripts for good reasons: units, formulas. */
const shortest = 4;

/** Whether a word is written with letters of two scripts that look the same; an ending added to a foreign name is none. */
export function hasLookAlikes(text: string): boolean {
  return (text.match(word) ?? []).some((found) => isDisguised(found));
}

/** Disguised words in the letters that they look like; words that are of one script stay. */
export function foldLookAlikes(text: string): string {
  return text.replace(word, (found) => (isDisguised(found) ? [...found].map((char) => latinFor.get(char) ?? char).join('') : found));
}

function isDisguised(found: string): boolean {
  if (found.length < shortest || !latin.test(found)) return false;
  let foreign = false;
  let inside = false;
  for (const char of found) {
    if (latinFor.has(char)) foreign = true;
    else if (!latin.test(char)) return false;
    else if (foreign) inside = true;
  }
  return inside;
}
