/** A word of a plain text, or the end of a sentence. */
export interface Token {
  /** Empty: a sentence ends here. */
  word: string;
  sentence: number;
  /** Stands between quotation marks or in code. */
  quoted: boolean;
}

const piece = /https?:\/\/[^\s`"'<>)\]]*|[\p{L}\p{N}][\p{L}\p{N}\p{M}']*|(?<=[\p{L}\p{N}])@(?=[\p{L}\p{N}])|\n\s*\n|[.!?;…。！？]+|["“”„«»`|]/gu;

const closing: Record<string, string> = { '“': '”', '„': '“', '«': '»' };

/** Cuts a plain text into words. `don't` is two of them, `user's` is `user`, an address is one. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let sentence = 0;
  let open: { mark: string; from: number } | undefined;
  for (const { 0: found, index } of text.matchAll(piece)) {
    if (/^["“”„«»`]/.test(found)) {
      if (open?.mark === found) {
        for (const token of tokens.slice(open.from)) token.quoted = true;
        open = undefined;
      } else {
        open ??= { mark: closing[found] ?? found, from: tokens.length };
      }
    } else if (/^[\n.!?;…。！？|]/u.test(found)) {
      // A stop inside a name or a number ends nothing.
      if (/^[.!?;]/.test(found) && /[^\s"'”»`)]/.test(text[index + found.length] ?? ' ')) continue;
      if (found.startsWith('\n')) open = undefined;
      tokens.push({ word: '', sentence: sentence++, quoted: false });
    } else {
      for (const word of toWords(found)) tokens.push({ word, sentence, quoted: false });
    }
  }
  tokens.push({ word: '', sentence, quoted: false });
  return tokens;
}

function toWords(found: string): string[] {
  if (found.startsWith('http')) return found.includes('://') ? ['://'] : [found];
  if (!found.includes("'")) return [found];
  const negated = /^(\p{L}+)n't$/u.exec(found);
  if (negated?.[1]) return [negated[1], 'not'];
  const shortened = /^(\p{L}+)'(re|ve|ll|d|m)$/u.exec(found);
  if (shortened?.[1]) return [shortened[1]];
  return [found.replace(/'s?$/, '').replaceAll("'", '')];
}
