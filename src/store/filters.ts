import { toSql } from 'pgvector';
import type { Kind } from '../memory/memory.ts';

/** What a search narrows by, as conditions on a memory's row. */
export interface Filters {
  /** Null: wherever the caller may read. A null among the keys: tenant-wide memories. */
  scopeKeys: readonly (string | null)[] | null;
  kinds?: readonly Kind[] | undefined;
  /** Every one of them. */
  tags?: readonly string[] | undefined;
  /** Bounds on when it happened, or else when it was written. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** What was in force then; undefined: what is live now. */
  asOf?: Date | undefined;
}

/** Whether memory `m` is neither superseded, forgotten nor expired at the moment of a parameter. */
export function inForce(m: string, at: string): string {
  return `${m}.forgotten_at is null and (${m}.expires_at is null or ${m}.expires_at > ${at}) and ${m}.superseded_by is null`;
}

/**
 * Whether memory `m` passes the filters. Parameters from `$first`: now, as_of, kinds, tags, since, until.
 * An as_of search also brings back what has been superseded since; forgotten and expired memories stay gone.
 */
export function passesFilters(m: string, first: number): string {
  const [now, asOf, kinds, tags, since, until] = Array.from({ length: 6 }, (_, index) => `$${first + index}`);
  return `${m}.forgotten_at is null and (${m}.expires_at is null or ${m}.expires_at > ${now}::timestamptz)
  and (${asOf}::timestamptz is null and ${m}.superseded_by is null
    or ${m}.created_at <= ${asOf}::timestamptz and (${m}.superseded_at is null or ${m}.superseded_at > ${asOf}::timestamptz))
  and (${kinds}::text[] is null or ${m}.kind = any (${kinds}::text[]))
  and (${tags}::text[] is null or ${m}.tags @> ${tags}::text[])
  and (${since}::timestamptz is null or coalesce(${m}.occurred_at, ${m}.created_at) >= ${since}::timestamptz)
  and (${until}::timestamptz is null or coalesce(${m}.occurred_at, ${m}.created_at) <= ${until}::timestamptz)`;
}

export function filterValues(filters: Filters, now: Date) {
  return [now, filters.asOf ?? null, filters.kinds ?? null, filters.tags ?? null, filters.since ?? null, filters.until ?? null];
}

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  return String(toSql(Array.from(vector)));
}
