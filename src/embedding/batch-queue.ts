import { Failure } from '../failure.ts';
import type { TextRole } from './embedder.ts';

export interface BatchQueueOptions {
  /** Embeds one batch; one call at a time. */
  run(texts: string[]): Promise<Float32Array[]>;
  maxBatch: number;
  /** Texts that may wait. Beyond it requests are refused at once, so that a burst cannot pile up memory. */
  maxQueue: number;
  /** How long a request may take, waiting included. */
  timeoutMs: number;
}

interface Waiting {
  text: string;
  index: number;
  request: Request;
}

interface Request {
  vectors: (Float32Array | undefined)[];
  missing: number;
  resolve(vectors: Float32Array[]): void;
  reject(failure: unknown): void;
}

/** Lets texts of concurrent requests share batches. Queries go before passages, since somebody is waiting for their answer. */
export function batchQueue(options: BatchQueueOptions): (texts: readonly string[], role: TextRole) => Promise<Float32Array[]> {
  const { run, maxBatch, maxQueue, timeoutMs } = options;
  const waiting: Record<TextRole, Waiting[]> = { query: [], passage: [] };
  let working = false;

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    // Whatever is asked in the same turn of the event loop goes into the first batch.
    await Promise.resolve();
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      try {
        const vectors = await run(batch.map(({ text }) => text));
        for (const [i, { request, index }] of batch.entries()) deliver(request, index, vectors[i]);
      } catch (failure) {
        // Those still waiting fail as well: their callers can do without vectors, but not without an answer.
        for (const { request } of [...batch, ...waiting.query.splice(0), ...waiting.passage.splice(0)]) request.reject(failure);
      }
    }
    working = false;
  }

  function nextBatch(): Waiting[] {
    const queries = waiting.query.splice(0, maxBatch);
    return [...queries, ...waiting.passage.splice(0, maxBatch - queries.length)];
  }

  return (texts, role) => {
    if (waiting.query.length + waiting.passage.length + texts.length > maxQueue) {
      return Promise.reject(new Failure('dependency_unavailable', 'The embedding model has too much to do. Try again in a moment.'));
    }
    return new Promise((resolve, reject) => {
      const request: Request = { vectors: [], missing: texts.length, resolve: settled(resolve), reject: settled(reject) };
      const timer = setTimeout(() => {
        request.reject(new Failure('dependency_unavailable', `The embedding model did not answer within ${timeoutMs / 1000} seconds. Try again.`));
        waiting[role] = waiting[role].filter((entry) => entry.request !== request);
      }, timeoutMs);
      function settled<T>(settle: (value: T) => void): (value: T) => void {
        return (value) => {
          clearTimeout(timer);
          settle(value);
        };
      }
      for (const [index, text] of texts.entries()) waiting[role].push({ text, index, request });
      void work();
    });
  };
}

function deliver(request: Request, index: number, vector: Float32Array | undefined): void {
  request.vectors[index] = vector;
  request.missing -= 1;
  if (request.missing === 0) request.resolve(request.vectors as Float32Array[]);
}
