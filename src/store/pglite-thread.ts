// This side of the worker thread: numbered calls, and what becomes of them when the thread dies.
import { startWorker } from '../start-worker.ts';
import type { PgliteCall, PgliteReply, PgliteRequest, PgliteWorkerData } from './pglite-worker.ts';
import { translate, unavailable } from './sqlstate.ts';

export interface PgliteThread {
  /** Throws translated errors: a `Failure` when the thread is gone, a `SqlError` when the database refused. */
  call(call: PgliteCall): Promise<unknown>;
  isGone(): boolean;
  /** Ends the thread at once; what is under way fails with this reason. */
  kill(reason: string): void;
  /** Settles when the thread is no more. */
  readonly ended: Promise<void>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const stopped = 'The embedded database stopped in the middle of its work.';

/**
 * Deep recursion in Postgres, such as a deeply nested JSON text, overflows the default stack of 4 MB before Postgres
 * notices, and PGlite then answers statements with nothing. 256 MB, used only when needed, bear a million levels.
 */
const stackSizeMb = 256;

export async function startThread(workerData: PgliteWorkerData): Promise<PgliteThread> {
  const worker = startWorker(new URL('./pglite-worker.ts', import.meta.url), { workerData, resourceLimits: { stackSizeMb } });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: Error | undefined;

  function end(reason: string, cause?: unknown): void {
    if (gone !== undefined) return;
    gone = unavailable(reason, cause);
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
    void worker.terminate();
  }

  const started = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      end(stopped, new Error(`the worker thread of the embedded database ended with exit code ${code}`));
      resolve();
    });
  });
  worker.on('error', (error) => end(stopped, error));
  worker.on('message', (reply: PgliteReply) => {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('result' in reply) waiter?.resolve(reply.result);
    else {
      const { message, ...fields } = reply.error;
      const error = Object.assign(new Error(message), fields);
      if (reply.fatal && reply.id !== 0) {
        waiter?.reject(unavailable(stopped, error));
        end(stopped, error);
      } else waiter?.reject(error);
    }
  });

  const thread: PgliteThread = {
    async call(call) {
      if (gone !== undefined) throw gone;
      lastId += 1;
      const request: PgliteRequest = { ...call, id: lastId };
      const answer = new Promise((resolve, reject) => waiting.set(request.id, { resolve, reject }));
      worker.postMessage(request);
      try {
        return await answer;
      } catch (error) {
        throw translate(error); // made here, it carries the caller's stack
      }
    },
    isGone: () => gone !== undefined,
    kill: (reason) => end(reason),
    ended,
  };
  try {
    await started;
  } catch (error) {
    end(stopped, error);
    await ended;
    throw error;
  }
  return thread;
}
