import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';

export interface WorkerOptions {
  workerData?: unknown;
  resourceLimits?: ResourceLimits;
}

/**
 * Starts a worker thread from a module of ours, named by its source: `new URL('./worker.ts', import.meta.url)`.
 * Compiled, this file and the worker are `.js`; run from source, a thread has no TypeScript loader of its own
 * (neither tsx nor vitest hands theirs down on Node 20), so it registers tsx first.
 */
export function startWorker(url: URL, options: WorkerOptions = {}): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(url.href.replace(/\.ts$/, '.js')), options);
  // Resolved from here: a thread made of a string resolves bare names from the working directory. By way of
  // package.json, because createRequire would pick the CommonJS build, whose register() fails (tsx 4.23).
  const tsx = new URL('./dist/esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json')));
  const start = `import(${JSON.stringify(tsx.href)}).then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(start, { ...options, eval: true, execArgv: [] });
}
