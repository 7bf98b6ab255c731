import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Kind, Rule } from '../../src/memory/memory.ts';
import { type PolicyRow, readRows } from './sets.ts';

const folder = new URL('../../src/preflight/packs/', import.meta.url);

/** The starter packs, tenant-wide as an operator imports them. */
export function readPacks(): PolicyRow[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .flatMap((file) =>
      readRows<{ content: string; kind: Kind; rule?: Rule }>(fileURLToPath(new URL(file, folder))).map(({ content, kind, rule }, at) => ({
        ref: `${file.replace('.jsonl', '')}/${at + 1}`,
        kind,
        content,
        scope: null,
        ...(rule && { rule }),
      })),
    );
}
