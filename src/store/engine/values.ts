// What SQL values look like on the way in and out. One set for both engines: their drivers' own rules differ.
import type { SqlValue } from './database.ts';

/** Every parameter travels as text; Postgres knows the type from the statement. */
export function encodeValues(values: readonly SqlValue[]): (string | null)[] {
  return values.map((value) => encodeValue(value));
}

function encodeValue(value: SqlValue): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return `{${value.map(encodeElement).join(',')}}`;
  if (value === undefined) throw new TypeError('an SQL parameter is undefined; null is written null');
  return String(value);
}

function encodeElement(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}

export type ParseText = (text: string) => unknown;

const keep: ParseText = (text) => text;

/**
 * Parsers by type oid where the two drivers disagree. numeric is a number here because `sum` and `avg` of integers
 * yield it; nothing we store needs more than 53 bits. A date has no time zone, so it stays text.
 */
export const parsers: Readonly<Record<number, ParseText>> = {
  20: Number, // int8
  1700: Number, // numeric
  1114: parseTimestamp,
  1184: parseTimestamp, // timestamptz
  1082: keep, // date
  1186: keep, // interval
};

/** Array types of the above: array oid to element oid. */
export const arrayElements: Readonly<Record<number, number>> = { 1016: 20, 1231: 1700, 1115: 1114, 1185: 1184, 1182: 1082, 1187: 1186 };

/** Postgres writes `2026-11-20 20:11:00.123456+00`; without a zone it is taken as UTC. */
function parseTimestamp(text: string): Date {
  const iso = text.replace(' ', 'T');
  return new Date(/[+-]\d\d$/.test(iso) ? `${iso}:00` : /[+-]\d\d:\d\d$/.test(iso) ? iso : `${iso}Z`);
}
