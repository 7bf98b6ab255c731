import type { Effect } from '../../memory/memory.ts';

/** What a clause does with the act that it names. */
export type Force =
  /** The act is not to be done. */
  | 'forbid'
  /** Somebody is to be asked before the act. */
  | 'ask'
  /** Something is to be done, or to come with the act. */
  | 'oblige'
  /** The act had better not be done. */
  | 'discourage'
  /** The act is expressly allowed. */
  | 'permit';

/** The words that give a clause its force. */
export interface Modality {
  force: Force;
  effect: Effect;
  /** As written. */
  cue: string;
  /** Where the cue lies in the clause. */
  start: number;
  end: number;
}

interface Pattern {
  force: Force;
  effect: Effect;
  words: RegExp;
}

const consent = `(?:approv(?:al|als|ed|e)|permission|consent|confirmation|sign-?off|go-ahead|green light|authori[sz]ation|agreement|blessing|review(?: by| from)|(?:a |the )?word from|(?:a )?second person)`;
const personal = `(?:you|we|i|they|agents?|one|nobody|no one|anybody|anyone|there is|there's)`;

/** In order: the first pattern that is found gives the force. What looks like another one but is not stands before it. */
const patterns: readonly Pattern[] = [
  // Permissions that contain words of duty or refusal.
  { force: 'permit', effect: 'allow', words: /\b(?:nobody|no one) (?:needs?|has) to (?:be )?(?:ask|asked|approve)\b/i },
  {
    force: 'permit',
    effect: 'allow',
    words: /\b(?:do(?:es)?(?: not|n['’]t)|need not|needn['’]t)(?: need| have)?(?: to)? (?:be )?(?:ask(?:ed)?|wait|confirm|seek|request|get approval)\b/i,
  },
  { force: 'permit', effect: 'allow', words: /\bneeds? no (?:\w+ )?(?:question|approval|permission|confirmation|review|asking)s?\b/i },
  {
    force: 'permit',
    effect: 'allow',
    words: /\b(?:do(?: not|n['’]t) hesitate to|feel free to|free to|welcome to|no need to ask|without (?:asking|approval|permission)(?=[.!]?$))/i,
  },
  {
    force: 'permit',
    effect: 'allow',
    words: /\b(?:is|are) (?:always |perfectly |also |entirely )?(?:fine|ok|okay|welcome|exempt|allowed|permitted|acceptable|encouraged)\b/i,
  },
  { force: 'permit', effect: 'allow', words: /\b(?:do(?:es)? not|don['’]t|need not) (?:need|have|require) (?:to\b|an?\b|any\b)?/i },
  { force: 'oblige', effect: 'warn', words: /\b(?:do(?: not|n['’]t)|never) (?:forget|omit|fail|neglect) to\b/i },
  // Consent.
  { force: 'ask', effect: 'require_approval', words: /\b(?:always |please |must |first |should )*ask (?:first\b|(?=.*\b(?:before|first|prior)\b))/i },
  { force: 'ask', effect: 'require_approval', words: /\bask(?:s|ed|ing)? (?:first|before|for (?:approval|permission|confirmation|consent)|permission)\b/i },
  {
    force: 'ask',
    effect: 'require_approval',
    words: /\b(?:(?:always|must|please|should) )*(?:confirm|check|consult|clear(?: it)?|agree|discuss(?: \w+)?) (?:it )?(?:with|in an issue)\b/i,
  },
  {
    force: 'ask',
    effect: 'require_approval',
    words: new RegExp(
      String.raw`\b(?:must |always |first )*(?:get|obtain|seek|request|receive|wait for|needs?|requires?|with(?:out)?|subject to|only (?:with|after)|unless|until)\b(?: (?!(?:not|to|no|be|fewer|less|more|at)\b)[\w'’-]+){0,5}? ${consent}(?: (?:required|needed))?(?=\W|$)(?! (?:number|count))`,
      'i',
    ),
  },
  { force: 'ask', effect: 'require_approval', words: new RegExp(String.raw`\b${consent} (?:is |are )?(?:required|needed|necessary)\b`, 'i') },
  {
    force: 'ask',
    effect: 'require_approval',
    words:
      /\b(?:only (?:do (?:this|so|it)|proceed)\b.{0,40}|only |unless |until )(?:when|if|once|after)?(?:.{0,40}\b)?(?:explicitly|expressly) (?:ask|request|provide|approve|tell|instruct)\w*/i,
  },
  {
    force: 'ask',
    effect: 'require_approval',
    words: /\b(?:only )?(?:proceed|continue|start)\b.{0,30}\b(?:once|after|when)\b.{0,60}\b(?:assigned|approved|accepted|agreed)\b/i,
  },
  { force: 'ask', effect: 'require_approval', words: /\bapproves? (?:all|any|every|each)\b/i },
  // Prohibitions.
  { force: 'forbid', effect: 'block', words: /\b(?:must|may|shall|can) (?:never|not)(?: ever)?(?: be)?\b|\b(?:mustn['’]t|cannot|can['’]t)(?: be)?\b/i },
  { force: 'forbid', effect: 'block', words: /\b(?:never|do not ever|do not|don['’]t ever|don['’]t|does not accept|do not accept)\b/i },
  {
    force: 'forbid',
    effect: 'block',
    words: /\b(?:(?:is|are) )?(?:not (?:allowed|permitted|accepted|acceptable)|forbidden|prohibited|banned|disallowed|off[- ]limits|unacceptable)\b(?: to)?/i,
  },
  { force: 'forbid', effect: 'block', words: /\b(?:nothing (?:is|may|must|can|gets)(?: ever)?(?: be)?|no one (?:may|is)|nobody (?:may|is))\b/i },
  { force: 'forbid', effect: 'block', words: /^\W*no (?=[a-z])/i },
  // Reserved to somebody or something.
  { force: 'forbid', effect: 'block', words: /\b(?:is|are) reserved (?:for|to)\b/i },
  {
    force: 'forbid',
    effect: 'block',
    words:
      /^\W*(?:in [^,]{1,40}, )?only (?:the |a |an )?(?!use\b|do\b|run\b|merge\b|push\b|commit\b|when\b|if\b|once\b)(?:[\w'’-]+ ){1,5}?(?=(?:may |can |is allowed to |are allowed to )?\w+s? )/i,
  },
  { force: 'oblige', effect: 'block', words: /\b(?:(?:we )?(?:only use|use only)|only (?:run|do|write|merge|push|commit|deploy)|must only)(?!\w)/i },
  // Advice and duty.
  { force: 'discourage', effect: 'warn', words: /\b(?:should(?: not|n['’]t)(?: be)?|(?<!\bto )avoid|refrain from|discouraged|try not to|rather than)\b/i },
  { force: 'permit', effect: 'allow', words: new RegExp(String.raw`\b(?:${personal} )?may\b(?! not)(?: be)?|\bcan be\b`, 'i') },
  {
    force: 'oblige',
    effect: 'warn',
    words:
      /\b(?:must(?: always)?|always|shall|should|prefer|need(?:s|ed)? to|ha(?:s|ve) to|(?:is |are )?required?|mandatory|make sure|ensure|remember to|be sure to|take care to|keep|check)\b/i,
  },
];

/** "CI never runs this", "requests that do not meet our standards", "if you cannot": a fact about something, no order. */
function describes(clause: string, start: number, end: number): boolean {
  const cue = clause.slice(start, end);
  const before = clause.slice(0, start);
  const after = clause.slice(end);
  if (
    /\b(?:that|which|who|if|when|whenever|because|since|as|so|whether|where)\s+(?:(?!\b(?:must|may|shall)\b)[\w'’-]+\s+){0,3}$/i.test(before) &&
    /^(?:do not|don['’]t|never|cannot|can['’]t|does not|is not|are not|not)/i.test(cue)
  )
    return true;
  return (
    /never$/i.test(cue) &&
    /[\w\x60)]\s*$/.test(before) &&
    !/\b(?:and|or|but|is|are|be|must|you|we|please)\s*$/i.test(before) &&
    /^\s+(?!(?:pass|process|access|address|bypass|discuss|cross|press|miss|focus|use|does)\b)[a-z]+s\b/.test(after)
  );
}

/** The force of a clause; undefined when it only states something. */
export function modalityOf(clause: string): Modality | undefined {
  // What is quoted is spoken of, not said.
  const plain = clause.replace(/`[^`]*`|"[^"]*"|“[^”]*”/g, (name) => '`'.repeat(name.length));
  for (const { force, effect, words } of patterns) {
    const found = words.exec(plain);
    if (found && !(force === 'forbid' && describes(clause, found.index, found.index + found[0].length)))
      return { force, effect, cue: clause.slice(found.index, found.index + found[0].length).trim(), start: found.index, end: found.index + found[0].length };
  }
  return undefined;
}

/** A heading lends its force to what stands below it only when it says little else. */
export function headingModality(heading: string): Modality | undefined {
  const modality = modalityOf(/^(?:do not|don['’]t|never|always|ask first|ask|avoid)$/i.test(heading.trim()) ? `${heading.trim()} first before` : heading);
  if (!modality) return undefined;
  const words = heading.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  return words <= 6 || /\b(?:before|when|if)\b.*\b(?:you|we)$/i.test(heading) ? { ...modality, cue: heading.trim() } : undefined;
}
