import { stem } from './lexicon.ts';

/** A number with what it counts: "900 euros", "1.8 MB", "two approvals". */
export interface Amount {
  value: number;
  unit: string;
}

/** A bound that a policy sets: "more than 300 euros". */
export interface Limit extends Amount {
  /** What the words say of the amount. */
  is: 'above' | 'below' | 'least' | 'most';
  /** The unit in words, for the reason. */
  text: string;
}

const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

const units: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  b: ['byte', 1],
  byte: ['byte', 1],
  kb: ['byte', 1e3],
  kib: ['byte', 1024],
  mb: ['byte', 1e6],
  mib: ['byte', 1024 ** 2],
  gb: ['byte', 1e9],
  gib: ['byte', 1024 ** 3],
  tb: ['byte', 1e12],
  ms: ['second', 1e-3],
  s: ['second', 1],
  sec: ['second', 1],
  second: ['second', 1],
  min: ['second', 60],
  minut: ['second', 60],
  h: ['second', 3600],
  hour: ['second', 3600],
  day: ['second', 86_400],
  week: ['second', 604_800],
  '€': ['euro', 1],
  eur: ['euro', 1],
  euro: ['euro', 1],
  $: ['dollar', 1],
  usd: ['dollar', 1],
  dollar: ['dollar', 1],
  '%': ['percent', 1],
  percent: ['percent', 1],
  px: ['pixel', 1],
  pixel: ['pixel', 1],
};

const number = String.raw`(?<![\w.])([€$]?)(\d[\d,]*(?:\.\d+)?|${numberWords.join('|')})\s*([kKmM]i?[bB]|[gGtT]i?[bB]|%|[\p{L}]+)(?:[ -]([\p{L}]+))?`;

/** Amounts in a text, and products of two of them where a policy counts in compound units such as GPU hours. */
export function amountsIn(text: string): Amount[] {
  return [...text.matchAll(new RegExp(number, 'giu'))].flatMap(([, sign, digits, word, next]) => {
    const value = toNumber(digits as string);
    if (sign) return [scaled(value, sign)];
    // "two check-in steps": the thing counted may be the second word.
    return [scaled(value, word as string), ...(next === undefined || isUnit(word as string) ? [] : [scaled(value, next)])];
  });
}

const comparisons: readonly (readonly [RegExp, Limit['is']])[] = [
  [/(?:more|greater|larger|bigger|longer|higher) than|over|above|exceed(?:s|ing)?|beyond/, 'above'],
  [/(?:less|fewer|smaller|shorter|lower) than|under|below/, 'below'],
  [/at least|no (?:less|fewer) than|a minimum of/, 'least'],
  [/at most|up to|no more than|a maximum of|within/, 'most'],
];

/** The bounds that a policy's clause names. */
export function limitsIn(text: string): Limit[] {
  return comparisons.flatMap(([words, is]) =>
    [...text.matchAll(new RegExp(String.raw`\b(?:${words.source})\s+${number}`, 'giu'))].map(([, sign, digits, word, next]) => {
      const value = toNumber(digits as string);
      const compound = next !== undefined && !sign && isUnit(next) && !isUnit(word as string);
      const amount = compound ? { value: value * factorOf(next), unit: `${stem(word as string)}·${unitOf(next)}` } : scaled(value, sign || (word as string));
      return { ...amount, is, text: `${is} ${digits}${sign ? ` ${sign}` : ` ${word}`}${compound ? ` ${next}` : ''}` };
    }),
  );
}

/** Whether an amount of the action meets what the words of the limit say; undefined when the action names none of its unit. */
export function meets(limit: Limit, amounts: readonly Amount[]): boolean | undefined {
  const [thing, unit] = limit.unit.split('·');
  const values =
    unit === undefined
      ? amounts.filter((amount) => amount.unit === limit.unit).map(({ value }) => value)
      : amounts
          .filter((amount) => amount.unit === thing)
          .flatMap((things) => amounts.filter((amount) => amount.unit === unit).map(({ value }) => value * things.value));
  if (values.length === 0) return undefined;
  return values.some((value) => compare(value, limit));
}

function compare(value: number, { is, value: bound }: Limit): boolean {
  switch (is) {
    case 'above':
      return value > bound;
    case 'below':
      return value < bound;
    case 'least':
      return value >= bound;
    case 'most':
      return value <= bound;
  }
}

function scaled(value: number, unit: string): Amount {
  return { value: value * factorOf(unit), unit: unitOf(unit) };
}

function unitOf(word: string): string {
  return units[stem(word)]?.[0] ?? units[word.toLowerCase()]?.[0] ?? stem(word);
}

function factorOf(word: string): number {
  return units[stem(word)]?.[1] ?? units[word.toLowerCase()]?.[1] ?? 1;
}

function isUnit(word: string): boolean {
  return units[stem(word)] !== undefined || units[word.toLowerCase()] !== undefined;
}

function toNumber(digits: string): number {
  const at = numberWords.indexOf(digits.toLowerCase());
  return at >= 0 ? at : Number(digits.replaceAll(',', ''));
}

/** The clause without its bounds: what is counted is not what it is about. */
export function withoutLimits(text: string): string {
  return comparisons.reduce((rest, [words]) => rest.replace(new RegExp(String.raw`\b(?:${words.source})\s+${number}`, 'giu'), ' '), text);
}
