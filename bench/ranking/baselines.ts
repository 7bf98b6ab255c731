import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metrics } from './metrics.ts';

/** Published figures by set, by column (k1 and b). */
export type GivenBaselines = ReadonlyMap<string, ReadonlyMap<string, Metrics>>;

/** baselines.json beside the sets: `{"<part>/<set>": {"<column>": {"ALL": figures, "<category>": figures}}}`. */
export function readBaselines(dir: string): GivenBaselines {
  const file = join(dir, 'baselines.json');
  if (!existsSync(file)) return new Map();
  const sets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, { ALL: Metrics }>>;
  return new Map(
    Object.entries(sets).map(([key, columns]) => [key.slice(key.indexOf('/') + 1), new Map(Object.entries(columns).map(([column, { ALL }]) => [column, ALL]))]),
  );
}
