import type { Random } from '../random.ts';
import { makeAction, makeQuestion, makeText } from './texts.ts';

/** What is sent: memories spread over scopes as in a company of ten repositories, and questions asked from inside one of them. */

const repos = ['api', 'ledger', 'dispatch', 'portal', 'mobile', 'infra', 'analytics', 'search', 'docs', 'tools'].map((name) => `acme/${name}`);

/** The largest repository holds about a fifth of all, the smallest a fiftieth. */
const repoShares = repos.map((repo, rank) => [repo, 1 / (rank + 1.5)] as const);

function memoryScope(random: Random): string | undefined {
  const repo = random.weighted(repoShares);
  return random.weighted([
    [undefined, 5],
    ['org:acme', 5],
    [`repo:${repo}`, 68],
    [`branch:${repo}@feature-${random.below(4)}`, 8],
    [`user:${random.below(12)}`, 6],
    [`session:${random.below(40)}`, 8],
  ]);
}

function callerScope(random: Random): string {
  const repo = random.weighted(repoShares);
  return random.chance(0.2) ? `branch:${repo}@feature-${random.below(4)}` : `repo:${repo}`;
}

export function memory(random: Random): Record<string, unknown> {
  const scope = memoryScope(random);
  return {
    ...makeText(random),
    ...(scope !== undefined && { scope_key: scope }),
    ...(random.chance(0.4) && { tags: [random.pick(['db', 'ci', 'api', 'ops', 'ui'])] }),
  };
}

interface Case {
  label: string;
  verb: string;
  body(random: Random): Record<string, unknown>;
}

/** In this order: what is written while measuring does not change the size that the reads are measured at. */
export const cases: readonly Case[] = [
  { label: 'search in scope', verb: 'memory.search', body: (random) => ({ query: makeQuestion(random), filters: { scope_key: callerScope(random) } }) },
  { label: 'search everywhere', verb: 'memory.search', body: (random) => ({ query: makeQuestion(random) }) },
  { label: 'preflight', verb: 'preflight.action', body: (random) => ({ action: { ...makeAction(random), scope_key: callerScope(random) } }) },
  { label: 'remember', verb: 'memory.remember', body: memory },
];
