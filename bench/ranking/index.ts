import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { readBaselines } from './baselines.ts';
import { compareReports } from './compare.ts';
import { loadCollections } from './dataset.ts';
import { renderPage } from './html/page.ts';
import { type Leg, legs } from './legs.ts';
import { measure } from './measure.ts';
import { printReport } from './print.ts';
import { readProfile } from './profiles.ts';
import type { Report } from './report.ts';

interface Options {
  data: string;
  set?: string[];
  profile?: string;
  legs: Leg[];
  model?: string;
  databaseUrl?: string;
  json?: string;
  html?: string;
  compare?: string;
}

/** The set that comes with the project. */
const ownSet = fileURLToPath(new URL('../data/team', import.meta.url));

export function rankingCommand(): Command {
  return new Command('ranking')
    .description('recall and nDCG of search on labelled sets, loaded and asked through the service, for both legs alone and together, beside BM25')
    .option('--data <dir>', 'folder of a set, or of many', ownSet)
    .option('--set <name>', 'only this set; may be given several times', (name, before: string[] = []) => [...before, name])
    .option('--profile <p>', 'ranking profile: its name, or a JSON file that names what differs from the default')
    .option('--legs <list>', `of ${legs.join(', ')}`, readLegs, [...legs])
    .option('--model <id>', 'embedding model, by id or path')
    .option('--database-url <url>', 'Postgres server that may be given a database for the time of the run, instead of PGlite in memory')
    .option('--json <file>', 'write the figures there')
    .option('--html <file>', 'write a report with plots there, one file')
    .option('--compare <file>', 'say what changed since the run that wrote this JSON file')
    .action(run);
}

async function run({ data, set, profile, legs, model, databaseUrl, json, html, compare }: Options): Promise<void> {
  const older = compare === undefined ? undefined : (JSON.parse(readFileSync(compare, 'utf8')) as Report);
  const { report, runs } = await measure(loadCollections(data, set), {
    legs,
    profile: readProfile(profile),
    model,
    serverUrl: databaseUrl,
    given: readBaselines(data),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${printReport(report)}\n`);
  if (older !== undefined) process.stdout.write(`\n${compareReports(older, report)}\n`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report)}\n`);
  if (html !== undefined) await writeFile(html, renderPage(report, runs));
}

/** In the order in which they run: the first one's latency is reported. */
function readLegs(list: string): Leg[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !legs.some((leg) => leg === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no leg ${unknown}; there are ${legs.join(', ')}.`);
  return legs.filter((leg) => names.includes(leg));
}
