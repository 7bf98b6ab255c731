import type { Effect } from '../memory/memory.ts';

/** What a policy in plain words asks for, and the words that say so. */
export interface Reading {
  effect: Exclude<Effect, 'allow'>;
  /** The cue as written, for the reason; undefined when the policy has none. */
  cue: string | undefined;
}

const consent =
  /\b(?:ask(?:ing|ed)?(?: (?:first|before|for)\b)?|(?:explicit |prior |written )?(?:approval|permission|consent|sign-?off)|approved?(?: by)?|confirm(?:ation|ed|ing)?|check with)\b/i;
const prohibition =
  /\b(?:never|must not|mustn['’]t|do not|don['’]t|may not|shall not|can ?not|can['’]t|not allowed|not permitted|forbidden|prohibited|no one may|off limits)\b/i;
const duty = /\b(?:must|always|shall|should(?: not|n['’]t)?|avoid|prefer|need(?:s)? to|required?|make sure|ensure|remember to|only)\b/i;

/**
 * Reads modality in the words of RFC 2119 and everyday speech. Consent is looked for first: "never push without approval" asks for
 * approval. A policy without any such word still governs, at its mildest.
 */
export function readModality(text: string): Reading {
  const asks = consent.exec(text);
  if (asks) return { effect: 'require_approval', cue: asks[0] };
  const forbids = prohibition.exec(text);
  if (forbids) return { effect: 'block', cue: forbids[0] };
  return { effect: 'warn', cue: duty.exec(text)?.[0] };
}

/** Globs and file names that a text quotes in backticks; they bound what it is about. */
export function quotedPaths(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, quoted]) => quoted as string)
    .filter((quoted) => /[/*]|\.[A-Za-z0-9]{1,8}$/.test(quoted) && !/^(?:--?|https?:|[@#])/.test(quoted));
}
