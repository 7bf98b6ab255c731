import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../failure.ts';
import { startProcess } from '../start-process.ts';
import type { InstalledModel } from './manifest.ts';
import type { ModelReply, ModelRequest } from './model.ts';
import { ModelRefusal } from './refusal.ts';

/** Runs batches in a process of its own, which is started when needed and again after a crash. */
export interface ModelProcess {
  /** Loads the model now. Throws an Error in plain words when it cannot be loaded. */
  start(): Promise<void>;
  /** @throws Failure `dependency_unavailable` */
  run(texts: string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  ready: Deferred<void>;
  batches: Map<number, Deferred<Float32Array>>;
}

/**
 * A process and not a thread, because onnxruntime-node 1.14 keeps per-process references to one JavaScript engine:
 * terminating its thread during a run, or loading it in a second thread, aborts the whole service. A process may
 * crash or be killed at any time.
 */
export function modelProcess(model: InstalledModel, timeoutMs: number): ModelProcess {
  const { manifest, folder } = model;
  let running: Running | undefined;
  let lastBatch = 0;

  function start(): Running {
    const child = startProcess(new URL('./model.ts', import.meta.url), JSON.stringify(model));
    const started: Running = { child, ready: deferred(), batches: new Map() };
    const stop = (cause: Error): void => {
      if (running === started) running = undefined;
      started.ready.reject(cause);
      for (const batch of started.batches.values()) batch.reject(cause);
      started.batches.clear();
    };
    child.on('message', (reply: ModelReply) => {
      if ('ready' in reply) return started.ready.resolve();
      if ('failed' in reply) return stop(new Error(reply.failed));
      const batch = started.batches.get(reply.batch);
      started.batches.delete(reply.batch);
      if ('vectors' in reply) batch?.resolve(reply.vectors);
      else batch?.reject(new Error(reply.error));
    });
    child.on('error', stop);
    child.on('exit', (code, signal) => stop(new Error(`The model's process ended with ${signal ?? `code ${code}`}.`)));
    // Whoever waits for it hears of a failure; without anyone waiting it must not end the service.
    started.ready.promise.catch(() => {});
    running = started;
    return started;
  }

  return {
    async start() {
      await (running ?? start()).ready.promise.catch((cause: Error) => {
        throw new ModelRefusal(`Model ${manifest.id} in ${folder} cannot be loaded: ${cause.message}`, { cause });
      });
    },

    async run(texts) {
      const { child, ready, batches } = running ?? start();
      const watchdog = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      try {
        await ready.promise;
        const batch = ++lastBatch;
        const reply = deferred<Float32Array>();
        batches.set(batch, reply);
        // A failed send is followed by the exit of the process, which rejects the reply.
        child.send({ batch, texts } satisfies ModelRequest, () => {});
        const vectors = await reply.promise;
        return texts.map((_, i) => vectors.slice(i * manifest.dimensions, (i + 1) * manifest.dimensions));
      } catch (cause) {
        throw new Failure('dependency_unavailable', 'The embedding model did not answer. Try again.', { cause });
      } finally {
        clearTimeout(watchdog);
      }
    },

    async close() {
      if (running === undefined) return;
      const { child } = running;
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** As `Promise.withResolvers`, which comes with Node 22. */
function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
