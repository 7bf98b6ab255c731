import { readFileSync } from 'node:fs';
import { defaultProfile, type RankingProfile } from '../../src/ranking/profile.ts';

/** The default profile by its name, or one from a JSON file, which needs to name only what differs from the default. */
export function readProfile(nameOrFile: string | undefined): RankingProfile {
  if (nameOrFile === undefined || nameOrFile === defaultProfile.name) return defaultProfile;
  if (!nameOrFile.endsWith('.json')) throw new Error(`There is no profile ${nameOrFile}: it is ${defaultProfile.name} or the path of a JSON file.`);
  const given = JSON.parse(readFileSync(nameOrFile, 'utf8')) as Partial<RankingProfile>;
  return merge(defaultProfile as unknown as Tree, given as Tree, nameOrFile) as unknown as RankingProfile;
}

interface Tree {
  [key: string]: unknown;
}

/** A misspelt key would silently measure the default. */
function merge(base: Tree, given: Tree, where: string): Tree {
  const merged = { ...base };
  for (const [key, value] of Object.entries(given)) {
    if (!(key in base) && !where.endsWith('.kinds')) throw new Error(`${where}: a profile has no \`${key}\`; it has ${Object.keys(base).join(', ')}.`);
    merged[key] = isTree(base[key]) && isTree(value) ? merge(base[key], value, `${where}.${key}`) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
