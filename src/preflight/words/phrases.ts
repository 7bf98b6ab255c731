import { actsOf, isStopWord, isVagueAct, phrasalAct } from './lexicon.ts';
import { type Token, tokenize } from './tokens.ts';

/** A phrase with its alternatives: "a password, token or key". */
export type Phrase = readonly (readonly Token[])[];

/** A condition or a duty: its words and the names it quotes. */
export interface Part {
  text: string;
  tokens: readonly Token[];
  names: readonly string[];
}

/** The phrases of a clause and the part that each plays. */
export interface Phrases {
  phrases: readonly Phrase[];
  /** Which of the phrases is what the act is done to. */
  object: number;
  /** Which of the phrases say where. */
  places: readonly number[];
}

export function toPart(text: string): Part {
  const tokens = tokenize(text);
  return { text: text.trim(), tokens: tokens.filter(isContent), names: namesIn(tokens) };
}

export function isContent(token: Token): boolean {
  return token.is === 'name' || (token.is === 'word' && !isStopWord(token.text.toLowerCase()) && !numeral.test(token.text));
}

const numeral = /^(?:[\d.,]+|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$/i;

export function namesIn(tokens: readonly Token[]): string[] {
  return tokens.filter(({ is }) => is === 'name').map(({ text }) => text);
}

/** The verbs among the words, by their place and form. */
export function actsIn(tokens: readonly Token[], verbAt: number): { names: string[]; at: Set<number> } {
  const names = new Set<string>();
  const at = new Set<number>();
  const firstContent = tokens.findIndex(isContent);
  for (const [index, token] of tokens.entries()) {
    if (token.is !== 'word') continue;
    const phrasal = phrasalAt(tokens, index);
    const known = phrasal ? [phrasal.act] : actsOf(token.stem);
    const previous = tokens[index - 1]?.text ?? '';
    const joins = at.has(index - 2) && /^(?:or|and|nor|,)$/i.test(previous);
    const leads = (index === verbAt || (joins && at.has(verbAt) && known.length > 0)) && isContentOrVerb(token);
    const verbal =
      known.length > 0 &&
      !/^(?:a|an|the)$/i.test(previous) &&
      (/(?:ing|ed)$/.test(token.text) || index === firstContent || /^(?:to|be|that|which|who)$/i.test(previous)) &&
      !(index === firstContent && known.every(isVagueAct) && verbAt !== index);
    if (!leads && !verbal) continue;
    at.add(index);
    if (phrasal) at.add(phrasal.at);
    for (const name of known.length > 0 ? known : [token.stem]) names.add(name);
  }
  return { names: [...names], at };
}

function isContentOrVerb(token: Token): boolean {
  return isContent(token) || actsOf(token.stem).length > 0;
}

/** "switch off", "switch the watchdog off". */
export function phrasalAt(tokens: readonly Token[], index: number): { act: string; at: number } | undefined {
  const verb = tokens[index];
  if (verb?.is !== 'word') return undefined;
  for (let at = index + 1; at <= index + 5 && at < tokens.length; at += 1) {
    if (tokens[at]?.is === 'mark') return undefined;
    const act = phrasalAct(verb.stem, (tokens[at]?.text ?? '').toLowerCase());
    if (act !== undefined) return { act, at };
  }
  return undefined;
}

const prepositions = new Set(
  'to into in on onto at by for from with within under over via per about against through during as than between after while until below above inside'.split(
    ' ',
  ),
);

const placeWords = new Set(['in', 'inside', 'within', 'under', 'on']);

/** Noun phrases: a verb or a preposition opens the next one; a comma, "or" and "and" part alternatives. */
export function phrasesOf(tokens: readonly Token[], verbs: ReadonlySet<number>, passive: boolean): Phrases {
  const open: { phrase: Token[][]; opener: string }[] = [{ phrase: [[]], opener: '' }];
  for (const [at, token] of tokens.entries()) {
    const phrase = open.at(-1)?.phrase as Token[][];
    const lower = token.text.toLowerCase();
    if (verbs.has(at) || (token.is === 'word' && prepositions.has(lower))) open.push({ phrase: [[]], opener: verbs.has(at) ? 'verb' : lower });
    else if (/^(?:,|\/|or|and|nor|and\/or)$/.test(lower)) phrase.push([]);
    else if (isContent(token)) phrase.at(-1)?.push(token);
  }
  const full = open.map(({ phrase, opener }) => ({ phrase: phrase.filter((one) => one.length > 0), opener })).filter(({ phrase }) => phrase.length > 0);
  const afterVerb = full.findIndex(({ opener }) => opener === 'verb');
  return {
    phrases: full.map(({ phrase }) => phrase),
    object: passive ? 0 : Math.max(0, afterVerb),
    places: full.flatMap(({ opener }, at) => (placeWords.has(opener) ? [at] : [])),
  };
}
