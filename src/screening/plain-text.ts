import { stripHidden } from './hidden-marks.ts';
import { foldLookAlikes } from './look-alikes.ts';

/** More decoded text than this is not looked at. */
const decodedChars = 32_000;

/** Whole sentences in one sign, which normalization spells out in up to 18 letters each. */
const sentenceSigns = /[\ufdfa\ufdfb]/g;

/** A text as a reader would take it, whatever letters it is written with: for comparing only, never for storing. */
export function toPlainText(text: string): string {
  return joinSpaced(foldLookAlikes(stripHidden(text).replaceAll(sentenceSigns, ' ').normalize('NFKC')))
    .replaceAll(/[’‘ʼ]/g, "'")
    .toLowerCase();
}

/** `i g n o r e` and `i-g-n-o-r-e` as one word. */
function joinSpaced(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][ .*_-]){4,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu, (run) => run.replaceAll(/[ .*_-]/g, ''));
}

/** What a text holds in encodings that any model reads: base64, hex, percent signs, character references. */
export function decodePayloads(text: string): string {
  const found = [
    ...collect(text, /[A-Za-z0-9+/_-]{24,}/g, (run) => Buffer.from(run, 'base64').toString('utf8')),
    ...collect(text, /(?:[0-9a-fA-F]{2}[ :]?){12,}/g, (run) => Buffer.from(run.replaceAll(/[ :]/g, ''), 'hex').toString('utf8')),
    ...collect(text, /(?:%[0-9a-fA-F]{2}[\w.~-]{0,8}){6,}/g, (run) =>
      run.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    ),
    ...collect(text, /(?:&#(?:x[0-9a-fA-F]{1,6}|\d{1,7});\s?){6,}/g, (run) =>
      run.replaceAll(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex: string | undefined, decimal: string) => {
        const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return point > 0x10ffff ? '' : String.fromCodePoint(point);
      }),
    ),
  ];
  return found.join('\n\n').slice(0, decodedChars);
}

function collect(text: string, pattern: RegExp, decode: (run: string) => string): string[] {
  return (text.match(pattern) ?? []).map(decode).filter(readsAsText);
}

/** Random bytes do not: keys, hashes and pictures end here. */
function readsAsText(decoded: string): boolean {
  const readable = decoded.match(/[\p{L}\p{N}\p{P}\s]/gu)?.length ?? 0;
  return readable > 7 && readable >= decoded.length * 0.95 && /[\s_-]/.test(decoded);
}
