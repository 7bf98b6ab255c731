import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { formatTable } from '../table.ts';
import { temporaryStore } from '../temporary.ts';
import { measureEngine, type SizeResult } from './measure.ts';

interface Options {
  databaseUrl?: string;
  sizes: number[];
  requests: number;
  seed: number;
  json?: string;
}

export function latencyCommand(): Command {
  return new Command('latency')
    .description('p50, p95 and p99 of remember, search and preflight over HTTP, against the running service, on PGlite and on Postgres')
    .option('--database-url <url>', 'Postgres server that may be given a database for the time of the run', process.env.KNEEBOARD_TEST_DATABASE_URL)
    .option('--sizes <list>', 'memories stored when measuring, ascending', readSizes, [1_000, 10_000])
    .option('--requests <n>', 'requests a case', readCount, 300)
    .option('--seed <n>', 'what the texts are made from', Number, 1)
    .option('--json <file>', 'write the figures there too')
    .action(run);
}

async function run({ databaseUrl, sizes, requests, seed, json }: Options): Promise<void> {
  const engines: Record<string, SizeResult[]> = {};
  for (const serverUrl of databaseUrl ? [undefined, databaseUrl] : [undefined]) {
    await using store = await temporaryStore(serverUrl);
    engines[store.engine] = await measureEngine(store, { sizes, requests, seed });
  }
  process.stdout.write(`${report(engines)}\n`);
  if (!databaseUrl) process.stdout.write('Postgres was left out: give --database-url or KNEEBOARD_TEST_DATABASE_URL.\n');
  if (json !== undefined) {
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism(), node: process.version };
    await writeFile(json, `${JSON.stringify({ bench: 'latency', machine, seed, engines }, null, 2)}\n`);
  }
}

function report(engines: Readonly<Record<string, readonly SizeResult[]>>): string {
  const ms = (value: number) => value.toFixed(1);
  const rows = Object.entries(engines).flatMap(([engine, results]) =>
    results.flatMap(({ memories, load_per_s, cases }) => [
      ...Object.entries(cases).map(([label, { n, p50, p95, p99 }]) => [engine, String(memories), label, String(n), ms(p50), ms(p95), ms(p99)]),
      [engine, String(memories), `loading: ${load_per_s.toFixed(0)} a second`, '', '', '', ''],
    ]),
  );
  return formatTable([['engine', 'memories', 'request', 'n', 'p50 ms', 'p95 ms', 'p99 ms'], ...rows]);
}

function readSizes(text: string): number[] {
  const sizes = text.split(',').map(readCount);
  if (sizes.some((size, at) => size <= (sizes[at - 1] ?? 0))) throw new InvalidArgumentError('Sizes must ascend.');
  return sizes;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Not a whole number above 0.');
  return count;
}
