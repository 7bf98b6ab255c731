import type { ActionWords } from './action-words.ts';
import { actsOf, conceptsOf, isPale, ruledOut } from './lexicon.ts';
import type { Part } from './phrases.ts';
import type { Norm } from './reading.ts';
import { partsOf, type Token } from './tokens.ts';

/** What of a policy's words an action says. */

/** 1 when the action says it, a half when only its paths do, 0 when not. */
export function says(token: Token, { said, filed }: ActionWords): number {
  const has = (set: ReadonlySet<string>) => {
    const whole = conceptsOf(token.stem).some((concept) => set.has(concept));
    const parts = token.parts.filter((part) => part !== token.stem);
    return whole || (parts.length > 1 && parts.every((part) => conceptsOf(part).some((concept) => set.has(concept))));
  };
  return has(said) ? 1 : has(filed) ? 0.5 : 0;
}

/** The share of the words of a condition or a duty. */
export function shareSaid(part: Part, words: ActionWords, whole = false): number {
  const solid = part.tokens.filter((token) => !isPale(token.stem));
  // "be written in TypeScript": the language counts, not that something is written.
  const things = whole ? solid : solid.filter((token) => actsOf(token.stem).length === 0);
  const tokens = things.length > 0 ? things : solid;
  if (tokens.length === 0) return 0;
  return tokens.reduce((sum, token) => sum + (ruledOut(token.stem, words.raw) ? 0 : says(token, words)), 0) / tokens.length;
}

/** Done for certain, or at least spoken of. */
export function actShare(norm: Norm, words: ActionWords): number {
  if (doesAct(norm, words)) return 1;
  return norm.acts.some((act) => words.said.has(act) || words.said.has(`!${act}`)) ? 0.7 : 0;
}

export function doesAct(norm: Norm, { acts }: ActionWords): boolean {
  return norm.acts.some((act) => acts.has(act));
}

/** Whether the action speaks of what a path's last name says: the held-out shards, and `data/heldout/`. */
export function saysBase(path: string, { said }: ActionWords): boolean {
  const base = baseOf(path);
  return base !== undefined && base.length > 2 && said.has(base);
}

/** The stem of a path's last name, its ending left out. */
export function baseOf(path: string): string | undefined {
  const name =
    path
      .replace(/[/*]+$/, '')
      .split('/')
      .at(-1) ?? '';
  return partsOf(name.replace(/\.\w+$/, '')).at(-1);
}
