import { kinds, limits } from '../../src/memory/memory.ts';
import { scopeKeyPattern } from '../../src/memory/scope.ts';
import type { Document } from './dataset.ts';

/** A set's document as agents would have sent it to `memory.remember`. */
export interface MemoryItem {
  content: string;
  kind: string;
  scope_key?: string;
  tags?: string[];
  occurred_at?: string;
}

/** One memory, or several where the text is longer than a memory may be. */
export function toMemories(document: Document): MemoryItem[] {
  const rest = {
    kind: (kinds as readonly string[]).includes(document.kind ?? '') ? (document.kind as string) : 'note',
    ...(document.scope !== undefined && { scope_key: toScopeKey(document.scope) }),
    ...(document.tags.length > 0 && { tags: [...document.tags] }),
    ...withTime(document.date),
  };
  const parts = Math.ceil(document.text.length / limits.contentChars);
  return Array.from({ length: parts }, (_, part) => ({ content: document.text.slice(part * limits.contentChars, (part + 1) * limits.contentChars), ...rest }));
}

/** A scope key stays what it is. Any other name becomes a session; what the grammar does not admit is spelt `@<code point>@`, so that no two names meet. */
export function toScopeKey(scope: string): string {
  if (scopeKeyPattern.test(scope)) return scope;
  const spelt = scope.replaceAll(/[^A-Za-z0-9._/-]/gu, (character) => `@${character.codePointAt(0)?.toString(16)}@`);
  return `session:${/^[A-Za-z0-9]/.test(spelt) ? '' : '0@'}${spelt}`;
}

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** Dates as the sets write them: ISO with or without a time, `2023/07/12 (Wed) 10:14`, `March-15-2024`. Without a zone they are UTC. */
function withTime(date: string | undefined): { occurred_at?: string } {
  const [, year, month, day, time = '00:00'] =
    /^(\d{4})[-/](\d\d)[-/](\d\d)(?:(?:T| \(\w+\) )(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(date ?? '') ?? monthFirst(date ?? '') ?? [];
  if (year === undefined) return {};
  return { occurred_at: `${year}-${month}-${day}T${time.length === 5 ? `${time}:00` : time}Z` };
}

function monthFirst(date: string): string[] | undefined {
  const [, name = '', day = '', year = ''] = /^([A-Z][a-z]+)-(\d\d?)-(\d{4})$/.exec(date) ?? [];
  const month = months.indexOf(name.toLowerCase()) + 1;
  return month === 0 ? undefined : ['', year, String(month).padStart(2, '0'), day.padStart(2, '0')];
}
