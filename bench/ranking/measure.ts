import type { RankingProfile } from '../../src/ranking/profile.ts';
import type { GivenBaselines } from './baselines.ts';
import type { Collection } from './dataset.ts';
import type { Leg } from './legs.ts';
import { type Report, reportSet, type SetRun } from './report.ts';
import { type Answer, ask, askBaseline, load } from './run.ts';
import { openRankingService } from './service.ts';

export interface MeasureOptions {
  legs: readonly Leg[];
  profile: RankingProfile;
  model?: string | undefined;
  serverUrl?: string | undefined;
  given: GivenBaselines;
  onProgress?: (line: string) => void;
}

/** Loads every collection into a tenant of its own and puts all questions to every leg. */
export async function measure(
  collections: readonly Collection[],
  { legs, profile, model, serverUrl, given, onProgress }: MeasureOptions,
): Promise<{ report: Report; runs: SetRun[] }> {
  await using service = await openRankingService({ profile, model, serverUrl });
  const begun = performance.now();
  const runs: SetRun[] = [];
  for (const collection of collections) {
    runs.push(...(await measureCollection(collection, legs, await service.freshTenant(), onProgress)));
    onProgress?.(`${collection.questionSets.map(({ name }) => name).join(', ')}: done after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  const report: Report = {
    profile: `${profile.name} v${profile.version}`,
    model: service.model,
    engine: service.engine,
    seconds: (performance.now() - begun) / 1000,
    sets: Object.fromEntries(runs.map((run) => [run.set.name, reportSet(run, given)])),
  };
  return { report, runs };
}

async function measureCollection(
  collection: Collection,
  legs: readonly Leg[],
  invoke: Parameters<typeof load>[1],
  onProgress: MeasureOptions['onProgress'],
): Promise<SetRun[]> {
  const [main] = collection.questionSets;
  const loaded = await load(collection, invoke, main?.name ?? '');
  for (const { document, message } of loaded.refused) onProgress?.(`${main?.name}: ${document} was refused: ${message}`);
  const runs: SetRun[] = [];
  for (const set of collection.questionSets) {
    const answers = new Map<Leg, readonly Answer[]>();
    for (const leg of legs) answers.set(leg, await ask(set, collection, loaded, leg));
    const { perSecond, memories, refused } = loaded;
    const answeredElsewhere = set.adversarial ? answeredOf(runs[0]) : undefined;
    runs.push({ set, answers, baseline: askBaseline(set, collection), answeredElsewhere, perSecond, memories, refused: refused.length });
  }
  return runs;
}

function answeredOf(run: SetRun | undefined): SetRun['answeredElsewhere'] {
  if (run === undefined) return undefined;
  const judged = (at: number) => run.set.relevance.has(run.set.queries[at]?.id ?? '');
  return new Map([...run.answers].map(([leg, answers]) => [leg, answers.filter((_, at) => judged(at))]));
}
