import { percentile } from '../percentile.ts';
import { startProgress } from '../progress.ts';
import { createRandom, type Random } from '../random.ts';
import type { TemporaryStore } from '../temporary.ts';
import { type RunningServer, startServer } from './server.ts';
import { cases, memory } from './workload.ts';

export interface Timing {
  n: number;
  p50: number;
  p95: number;
  p99: number;
}

export interface SizeResult {
  memories: number;
  /** Memories a second while loading up to this size. */
  load_per_s: number;
  /** By label of the case, milliseconds. */
  cases: Record<string, Timing>;
}

export interface MeasureOptions {
  sizes: readonly number[];
  requests: number;
  seed: number;
}

const batchItems = 128;
const warmUps = 20;

/** Fills one store step by step and measures every case at each size. */
export async function measureEngine(store: TemporaryStore, { sizes, requests, seed }: MeasureOptions): Promise<SizeResult[]> {
  await using server = await startServer(store);
  const random = createRandom(seed);
  const results: SizeResult[] = [];
  let stored = 0;
  for (const size of sizes) {
    const loaded = await load(server, random, size - stored, `${store.engine}: loading up to ${size}`);
    const timings: Record<string, Timing> = {};
    for (const { label, verb, body } of cases) {
      const progress = startProgress(`${store.engine}, ${size}: ${label}`, requests);
      for (let i = 0; i < warmUps; i += 1) await server.call(verb, body(random));
      const times: number[] = [];
      for (let i = 0; i < requests; i += 1) {
        times.push((await server.call(verb, body(random))).ms);
        progress.step();
      }
      progress.done();
      timings[label] = { n: requests, p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) };
    }
    stored = size + warmUps + requests;
    results.push({ memories: size, load_per_s: loaded, cases: timings });
  }
  return results;
}

/** @returns memories a second. */
async function load(server: RunningServer, random: Random, count: number, label: string): Promise<number> {
  const progress = startProgress(label, count);
  let spentMs = 0;
  for (let left = count; left > 0; left -= batchItems) {
    const memories = Array.from({ length: Math.min(batchItems, left) }, () => memory(random));
    spentMs += (await server.call('memory.remember', { memories })).ms;
    progress.step(memories.length);
  }
  progress.done();
  return count / (spentMs / 1000);
}
