import { LRUCache } from 'lru-cache';
import type { Effect } from '../../memory/memory.ts';
import { type Limit, limitsIn, withoutLimits } from './amounts.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { isQualifier } from './lexicon.ts';
import { type Force, headingModality, type Modality, modalityOf } from './modality.ts';
import { actsIn, namesIn, type Part, type Phrases, phrasesOf, toPart } from './phrases.ts';
import { avoidedIn, hasContent, type Subject, subjectOf, type Taken, takeOut, withoutBrackets } from './subjects.ts';
import { tokenize } from './tokens.ts';
import { type WeekSpan, weekSpansIn } from './weekdays.ts';

/** What one clause of a policy says about an act. */
export interface Norm extends Phrases {
  /** `tell`: a lesson, which only tells what came of it. `state`: a policy that only says how things are. */
  force: Force | 'tell' | 'state';
  effect: Effect;
  /** The words that say so; undefined when there are none. */
  cue: string | undefined;
  /** The clause as written. */
  text: string;
  /** The acts that it is about, any of them: names of the lexicon's acts, or stems of verbs. */
  acts: readonly string[];
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
  const subjectless = !refers && norm.force !== 'permit' && /^\W*(?:must|may|is|are)\b/i.test(norm.text);
  const [subject] = before.phrases;
  return {
    ...norm,
    ...referred,
    ...(verbless && { acts: before.acts }),
    ...(subjectless && subject && { phrases: [subject, ...norm.phrases], object: 0, places: norm.places.map((at) => at + 1) }),
  };
}

function fromCue(text: string, modality: Modality): Norm {
  const around = withoutBrackets(`${text.slice(0, modality.start)} \uE002 ${text.slice(modality.end)}`);
  const taken = takeOut(around, modality.force);
  const [before = '', after = ''] = taken.kept.split('\uE002').map((part) => part.trim());
  return toNorm(text, modality, subjectOf(before, after, modality), taken);
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
