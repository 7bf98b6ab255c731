import type { Embedder } from '../embedding/embedder.ts';
import type { Vectors } from '../store/models.ts';

/** Texts embedded and stored together: large enough to be quick, small enough to leave the embedder to live requests in between. */
const batch = 32;

/** Embeds what has no vector of the model yet. @returns how many. @throws what the embedder or the store throws; what is done stays done. */
export async function fillVectors(vectors: Vectors, embedder: Embedder, modelNo: number, onProgress?: (done: number) => void): Promise<number> {
  let done = 0;
  for (;;) {
    const missing = await vectors.missing(modelNo, batch);
    if (missing.length === 0) return done;
    const made = await embedder.embed(
      missing.map(({ content }) => content),
      'passage',
    );
    for (const tenantId of new Set(missing.map((memory) => memory.tenantId))) {
      const own = missing.flatMap((memory, at) => (memory.tenantId === tenantId ? [{ ...memory, vector: made[at] as Float32Array }] : []));
      await vectors.store(modelNo, tenantId, own);
    }
    done += missing.length;
    onProgress?.(done);
  }
}

export interface Upkeep {
  /** Watches the embedder: a memory that had to be stored without its vector gets it as soon as the embedder answers again. */
  readonly embedder: Embedder;
  stop(): Promise<void>;
}

export interface UpkeepParts {
  vectors: Vectors;
  embedder: Embedder;
  modelNo: number;
  /** Housekeeping, once a minute. */
  sweep(): Promise<void>;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const retryMs = 2_000;
const sweepMs = 60_000;

/** Fills vectors at start and after every failure of the embedder, and keeps house once a minute. */
export function startUpkeep({ vectors, embedder, modelNo, sweep, log }: UpkeepParts): Upkeep {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  const fill = async () => {
    try {
      const done = await fillVectors(vectors, embedder, modelNo);
      if (done > 0) log.info({ memories: done }, 'vectors filled in');
    } catch (error) {
      log.warn({ err: error }, 'vectors cannot be filled in yet');
      schedule();
    }
  };
  const schedule = (delayMs = retryMs) => {
    if (stopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      running = fill();
    }, delayMs);
    retry.unref();
  };
  const sweeping = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed'));
  }, sweepMs);
  sweeping.unref();
  schedule(0);

  return {
    embedder: {
      manifest: embedder.manifest,
      async embed(texts, role) {
        try {
          return await embedder.embed(texts, role);
        } catch (error) {
          if (role === 'passage') schedule();
          throw error;
        }
      },
      close: () => embedder.close(),
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      clearInterval(sweeping);
      await running;
    },
  };
}
