import { LRUCache } from 'lru-cache';
import { Failure } from '../failure.ts';
import { batchQueue } from './batch-queue.ts';
import type { Embedder } from './embedder.ts';
import { defaultModelId, loadModel } from './manifest.ts';
import { modelProcess } from './model-process.ts';

export interface TransformersOptions {
  /** A model id below `models/`, or the path of a model's folder. */
  model?: string;
  /** Folders of further models, searched before the packaged ones. */
  modelRoots?: readonly string[];
  /** Texts that may wait; requests beyond it are refused. */
  maxQueue?: number;
  /** Vectors of recent queries kept, by text. */
  queryCacheSize?: number;
  /** How long a request may take, waiting included. */
  timeoutMs?: number;
}

/**
 * Embeds with a model in the transformers.js layout, in a process of its own.
 * Throws an Error in plain words when the model is missing, altered or cannot be loaded.
 */
export async function createTransformersEmbedder(options: TransformersOptions = {}): Promise<Embedder> {
  const { model: id = defaultModelId, modelRoots = [], maxQueue = 4096, queryCacheSize = 1000, timeoutMs = 30_000 } = options;
  const model = await loadModel(id, modelRoots);
  const { manifest } = model;
  const network = modelProcess(model, timeoutMs);
  await network.start();

  const enqueue = batchQueue({ run: network.run, maxBatch: manifest.maxBatch, maxQueue, timeoutMs });
  const queryVectors = new LRUCache<string, Float32Array>({ max: queryCacheSize });
  // Spares the tokenizer, and the cache, what would be cut away anyway: no piece of text takes this many characters on average.
  const maxCharacters = manifest.maxTokens * 32;
  let closed = false;

  async function embedQueries(queries: readonly string[]): Promise<Float32Array[]> {
    const found = new Map(queries.map((query) => [query, queryVectors.get(query)]));
    const unknown = [...found].filter(([, vector]) => vector === undefined).map(([query]) => query);
    const vectors = unknown.length === 0 ? [] : await enqueue(unknown, 'query');
    for (const [i, query] of unknown.entries()) {
      found.set(query, vectors[i]);
      queryVectors.set(query, vectors[i]);
    }
    // Copies, so that a caller who changes its vector does not change the cache.
    return queries.map((query) => (found.get(query) as Float32Array).slice());
  }

  return {
    manifest,

    async embed(texts, role) {
      if (closed) throw new Failure('dependency_unavailable', 'The embedding model is shut down.');
      if (texts.length === 0) return [];
      const cut = texts.map((text) => text.slice(0, maxCharacters));
      return role === 'query' ? embedQueries(cut) : enqueue(cut, role);
    },

    async close() {
      closed = true;
      await network.close();
    },
  };
}
