import { LRUCache } from 'lru-cache';
import type { Effect } from '../../memory/memory.ts';
import { type Limit, limitsIn, withoutLimits } from './amounts.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { actsOf, isQualifier, isStopWord, isVagueAct, phrasalAct } from './lexicon.ts';
import { type Force, headingModality, type Modality, modalityOf } from './modality.ts';
import { veilNames } from './names-in-text.ts';
import { type Token, tokenize } from './tokens.ts';
import { type WeekSpan, weekSpansIn } from './weekdays.ts';

/** A phrase with its alternatives: "a password, token or key". */
export type Phrase = readonly (readonly Token[])[];

/** What one clause of a policy says about an act. */
export interface Norm {
  /** `tell`: a lesson, which only tells what came of it. `state`: a policy that only says how things are. */
  force: Force | 'tell' | 'state';
  effect: Effect;
  /** The words that say so; undefined when there are none. */
  cue: string | undefined;
  /** The clause as written. */
  text: string;
  /** The acts that it is about, any of them: names of the lexicon's acts, or stems of verbs. */
  acts: readonly string[];
  phrases: readonly Phrase[];
  /** Which of the phrases is what the act is done to. */
  object: number;
  /** Which of the phrases say where. */
  places: readonly number[];
  /** What it quotes of what it is about. */
  names: readonly string[];
  /** What a duty asks for. */
  required: Part | undefined;
  /** What a duty wants it to take the place of ("instead of …"). */
  avoided: Part | undefined;
  /** A duty without a subject: what it is about is what it asks for. */
  asksForItself: boolean;
  /** It does not apply where one of these is the case. */
  exceptions: readonly Part[];
  /** It does not apply where one of these comes with the act. */
  provisos: readonly Part[];
  /** Words of what it is about that others rule out ("somebody else", "new"). */
  qualifiers: readonly string[];
  limits: readonly Limit[];
  spans: readonly WeekSpan[];
  /** Of anything at all: "nothing may be changed". */
  universal: boolean;
}

export interface Part {
  text: string;
  tokens: readonly Token[];
  names: readonly string[];
}

/** A policy as it was read. */
export interface Reading {
  norms: readonly Norm[];
  /** Clauses without force: reasons, and other ways to go. */
  asides: readonly Part[];
}

const readings = new LRUCache<string, Reading>({ max: 20_000 });

/** Reads a policy or lesson in plain words. The same words are read once. */
export function read(content: string, kind: 'policy' | 'lesson' = 'policy'): Reading {
  const key = `${kind}\n${content}`;
  const known = readings.get(key);
  if (known) return known;
  const reading = readClauses(clausesOf(content), kind);
  readings.set(key, reading);
  return reading;
}

function readClauses(clauses: readonly Clause[], kind: 'policy' | 'lesson'): Reading {
  const norms: Norm[] = [];
  const asides: Part[] = [];
  const ruled = new Set<number>();
  for (const [at, { text, heading, sentence }] of clauses.entries()) {
    const own = modalityOf(text);
    const lent = own || heading === undefined || ruled.has(sentence) ? undefined : headingModality(heading);
    const before = norms.at(-1);
    if (own) norms.push(underHeading(complete(fromCue(text, own), before, at > 0 && clauses[at - 1]?.sentence === sentence), heading));
    else if (lent) norms.push(fromHeading(text, lent));
    else if (kind === 'lesson' && at === 0) norms.push(fromTale(text));
    else asides.push(toPart(text));
    if (own || lent) ruled.add(sentence);
  }
  // A policy whose first clause gives no order governs by what it states, at its mildest.
  const [first] = clauses;
  const leads =
    kind === 'policy' &&
    first !== undefined &&
    modalityOf(first.text) === undefined &&
    (first.heading === undefined || headingModality(first.heading) === undefined);
  return { norms: leads ? [...norms, fromStatement(first)] : norms, asides: leads ? asides.slice(1) : asides };
}

function fromStatement({ text }: Clause): Norm {
  const taken = takeOut(text, 'state');
  return toNorm(text, { force: 'state', effect: 'warn', cue: undefined }, { about: taken.kept, verbAt: -1 }, taken);
}

/** "Cutting a release: only do this when asked": what "this" is stands in the heading. */
function underHeading(norm: Norm, heading: string | undefined): Norm {
  const points = /\b(?:do|doing) (?:this|that|so|it)\b/i.test(norm.text);
  if (heading === undefined || !points) return norm;
  const tokens = tokenize(heading);
  const acts = actsIn(tokens, 0);
  return { ...norm, acts: acts.names, ...phrasesOf(tokens, acts.at, false), names: namesIn(tokens) };
}

/** "… but never to `main`", "… and must not be used", "never print examples from it": what is left out was said just before. */
function complete(norm: Norm, before: Norm | undefined, sameSentence: boolean): Norm {
  if (!before) return norm;
  if (before.force === 'permit' && /^\W*(?:(?:all|any|every) )?(?:others?|(?:any|every)thing else)\b/i.test(norm.text)) {
    return { ...norm, acts: before.acts, phrases: before.phrases.slice(0, 1), object: 0, places: [], names: [] };
  }
  const refers = norm.names.length === 0 && before.names.length > 0 && /\b(?:it|them|these|those|there)\b/i.test(norm.text);
  const referred = refers
    ? { names: before.names, phrases: [...norm.phrases, ...before.phrases.filter((phrase) => phrase.some((one) => one.some(({ is }) => is === 'name')))] }
    : {};
  if (!sameSentence || norm.required) return { ...norm, ...referred };
  const verbless = norm.acts.length === 0 && before.acts.length > 0;
  const subjectless = !refers && norm.force !== 'permit' && /^\W*(?:must|may|is|are)\b/i.test(norm.text) && before.phrases[0] !== undefined;
  return {
    ...norm,
    ...referred,
    ...(verbless && { acts: before.acts }),
    ...(subjectless && { phrases: [before.phrases[0] as Phrase, ...norm.phrases], object: 0, places: norm.places.map((at) => at + 1) }),
  };
}

/** What a clause is about, where its verb stands, and what it asks for. */
interface Subject {
  about: string;
  /** Index of the word that must be a verb; -1 when none must. */
  verbAt: number;
  required?: Part;
}

function fromCue(text: string, modality: Modality): Norm {
  const around = withoutBrackets(`${text.slice(0, modality.start)} ‖ ${text.slice(modality.end)}`);
  const taken = takeOut(around, modality.force);
  const [before = '', after = ''] = taken.kept.split('‖').map((part) => part.trim());
  return toNorm(text, modality, subjectOf(before, after, modality), taken);
}

/** What stands in brackets, and examples, illustrate; they do not bound. */
function withoutBrackets(text: string): string {
  const veiled = veilNames(text);
  return veiled.lift(veiled.text.replace(/\([^()]*\)|\b(?:e\.g\.|such as|for example)[^,;.‖]*/gi, ' '));
}

function fromHeading(text: string, modality: Modality): Norm {
  const taken = takeOut(text, modality.force);
  const about = taken.kept.trim();
  return toNorm(text, modality, { about, verbAt: 0, ...(modality.force === 'oblige' && { required: toPart(about) }) }, taken);
}

const pastTense =
  /^(?!(?:seed|need|feed|speed|embed|weed|breed|bleed|exceed|indeed|hundred|shed|bed|red|wed|shred)$)(?:made|cost|hid|broke|left|sold|took|served|were|was|could|did|had|went|lost|caused|led|gave|got|kept|meant|cut|brought|turned|let|set|ran|hit|\w+ed)$/i;

/** "Moving a page without a redirect | broke 900 links": a lesson is about what comes before its verb. */
function fromTale(text: string): Norm {
  const words = text.split(/\s+/);
  const verb = words.findIndex((word, at) => at > 1 && pastTense.test(word) && !/^(?:a|an|the|to|not|and|or|be|newly)$/i.test(words[at - 1] ?? ''));
  const subject = words.slice(0, verb).join(' ');
  const told = verb > 0 && hasContent(subject) ? subject : text;
  const taken = takeOut(told, 'forbid');
  const norm = toNorm(text, { force: 'tell', effect: 'warn', cue: undefined }, { about: taken.kept, verbAt: /^\w+ing\b/.test(told) ? 0 : -1 }, taken);
  return { ...norm, names: [...norm.names, ...taken.provisos.flatMap(({ names }) => names)] };
}

function toNorm(text: string, { force, effect, cue }: Pick<Norm, 'force' | 'effect' | 'cue'>, { about, verbAt, required }: Subject, taken: Taken): Norm {
  const spans = weekSpansIn(about);
  const tokens = tokenize(spans.reduce((rest, span) => rest.replace(span.text, ' '), withoutLimits(about)));
  const acts = actsIn(tokens, verbAt);
  const { phrases, object, places } = phrasesOf(tokens, acts.at, force === 'forbid' && /\bbe$/i.test(cue ?? ''));
  return {
    force,
    effect,
    cue,
    text,
    acts: acts.names,
    phrases,
    object,
    places,
    names: namesIn(tokens),
    required,
    avoided: required && avoidedIn(text),
    asksForItself: required?.text.includes(about.trim()) ?? false,
    exceptions: taken.exceptions,
    provisos: taken.provisos,
    qualifiers: tokens.map((token) => token.stem).filter(isQualifier),
    limits: limitsIn(taken.kept),
    spans,
    universal: phrases.length === 0 && /\b(?:nothing|anything|everything)\b/i.test(text),
  };
}

interface Taken {
  kept: string;
  exceptions: Part[];
  provisos: Part[];
}

const exceptionWords =
  /\b(?:unless|except(?:ing)?(?: for| in| when| that| if)?|other than|apart from|aside from|excluding|save for|anywhere but|anything but|nothing but)\b/i;
const provisoWords = /\b(?:without|until|with no)\b/i;

/** Cuts out "unless …", "except …", and what may not be missing ("without …"). */
function takeOut(text: string, force: Norm['force']): Taken {
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
  const stop = rest.indexOf('‖');
  const end = leads && comma >= 0 ? comma + 1 : stop >= 0 ? stop : rest.length;
  return [`${text.slice(0, found.index)} ${rest.slice(end)}`, [toPart(rest.slice(0, end))]];
}

function subjectOf(before: string, after: string, { force, cue }: Modality): Subject {
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
function dutyOf(before: string, after: string): Subject {
  const led = new RegExp(String.raw`^(.*?)\b(?:${leadWords}|for|in)\s+(.*)$`, 'is').exec(after);
  const subject = before.replace(new RegExp(String.raw`^\W*(?:${leadWords}|in|for)\s+`, 'i'), '');
  if (hasContent(subject)) return { about: subject, verbAt: -1, required: toPart(after.replace(/^.*\bwithout\b(?! (?:it|them|this|that)\b)/i, 'without')) };
  const [, asked = '', occasion = ''] = led ?? [];
  if (hasContent(asked) && hasContent(occasion)) return { about: occasion, verbAt: /^\w+ing\b/.test(occasion) ? 0 : -1, required: toPart(asked) };
  return { about: after, verbAt: -1, required: toPart(after) };
}

const roles = /^(?:agent|user|contributor|developer|maintainer|important|critical|note|please|you|people)s?$/i;

/** "… instead of relying on web search". */
function avoidedIn(text: string): Part | undefined {
  const [, avoided] = /\b(?:instead of|rather than|in place of|not (?:via|by|with))\s+([^;.]*)/i.exec(text) ?? [];
  return avoided === undefined ? undefined : toPart(avoided);
}

function hasContent(text: string): boolean {
  return tokenize(text).some((token) => isContent(token) && !roles.test(token.text));
}

function toPart(text: string): Part {
  const tokens = tokenize(text);
  return { text: text.trim(), tokens: tokens.filter(isContent), names: namesIn(tokens) };
}

export function isContent(token: Token): boolean {
  return token.is === 'name' || (token.is === 'word' && !isStopWord(token.text.toLowerCase()) && !numeral.test(token.text));
}

const numeral = /^(?:[\d.,]+|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$/i;

function namesIn(tokens: readonly Token[]): string[] {
  return tokens.filter(({ is }) => is === 'name').map(({ text }) => text);
}

/** The verbs among the words, by their place and form. */
function actsIn(tokens: readonly Token[], verbAt: number): { names: string[]; at: Set<number> } {
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
function phrasesOf(tokens: readonly Token[], verbs: ReadonlySet<number>, passive: boolean): Pick<Norm, 'phrases' | 'object' | 'places'> {
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
