import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readFlags } from '../../src/screening/instruction-like.ts';

const row = z.strictObject({ id: z.string().min(1), text: z.string().min(1), label: z.enum(['instruction_like', 'ordinary']), note: z.string() });
type Case = z.output<typeof row>;

export type Half = 'dev' | 'held-out';

/** How often a detector is right on one half of the cases. */
export interface Rates {
  caught: number;
  instructionLike: number;
  mistaken: number;
  ordinary: number;
}

export function readCases(): Case[] {
  const lines = readFileSync(new URL('../data/injection/cases.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => row.parse(JSON.parse(line)));
}

/** By id, so that a case stays in its half whatever is added. Phrases are tuned on `dev` only. */
export function halfOf(id: string): Half {
  return ((createHash('sha256').update(id).digest()[0] ?? 0) & 1) === 0 ? 'dev' : 'held-out';
}

export function measure(cases: readonly Case[], half: Half): Rates {
  const rates: Rates = { caught: 0, instructionLike: 0, mistaken: 0, ordinary: 0 };
  for (const { id, text, label } of cases) {
    if (halfOf(id) !== half) continue;
    const flagged = readFlags(text).length > 0 ? 1 : 0;
    if (label === 'ordinary') {
      rates.ordinary++;
      rates.mistaken += flagged;
    } else {
      rates.instructionLike++;
      rates.caught += flagged;
    }
  }
  return rates;
}

/** Of the dev half: what a change of the phrases should look at next. */
export function mistakes(cases: readonly Case[]): Case[] {
  return cases.filter(({ id, text, label }) => halfOf(id) === 'dev' && readFlags(text).length > 0 !== (label === 'instruction_like'));
}
