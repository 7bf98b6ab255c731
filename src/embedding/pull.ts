import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ModelManifest } from './embedder.ts';
import { type InstalledModel, loadModel, modelFiles } from './manifest.ts';
import { type PulledModel, pulledModels } from './pulled-models.ts';
import { ModelRefusal } from './refusal.ts';

export interface PullOptions {
  id: string;
  /** Folder of models; the model goes into `<into>/<id>`. */
  into: string;
  /** The hub, or a mirror with the same paths. */
  baseUrl?: string;
  /** What may be pulled. */
  models?: ReadonlyMap<string, PulledModel>;
  fetch?: typeof globalThis.fetch;
  onProgress?(progress: PullProgress): void;
}

export interface PullProgress {
  file: string;
  received: number;
  /** Unknown when the hub does not say. */
  total: number | undefined;
}

/** More than any file here has; a hub gone wrong must not fill the disk. */
const maxFileBytes = 100 * 2 ** 20;

/**
 * Fetches a model from the hub and installs it whole or not at all: every file is checked before the folder gets its name.
 * Throws an Error in plain words.
 */
export async function pullModel(options: PullOptions): Promise<InstalledModel> {
  const { id, into, models = pulledModels } = options;
  const model = models.get(id);
  if (model === undefined) throw new ModelRefusal(`There is no download for a model ${id}; known are ${[...models.keys()].join(', ')}.`);
  const folder = join(into, id);
  const installed = await loadModel(folder).catch(() => undefined);
  if (installed !== undefined) return installed;

  await mkdir(dirname(folder), { recursive: true });
  // Beside its destination, so that the rename stays on one file system.
  const partial = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const sha256: ModelManifest['sha256'] = {};
    for (const file of modelFiles) sha256[file] = await download(file, model, partial, options);
    const manifest: ModelManifest = { id, ...model.manifest, sha256 };
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return loadModel(folder);
}

/** @returns the file's sha256, equal to the pinned one where there is one. */
async function download(file: string, model: PulledModel, folder: string, options: PullOptions): Promise<string> {
  const { id, baseUrl = 'https://huggingface.co', fetch = globalThis.fetch, onProgress } = options;
  const url = `${baseUrl}/${id}/resolve/${model.revision}/${file}`;
  const response = await fetch(url).catch((cause: unknown) => {
    throw new ModelRefusal(
      `${file} of ${id} cannot be fetched: ${new URL(url).host} is out of reach. On a machine without a network, copy the model's folder from one that has it.`,
      { cause },
    );
  });
  if (!response.ok || response.body === null) throw new ModelRefusal(`${file} of ${id} cannot be fetched: ${url} answered ${response.status}.`);

  const total = Number(response.headers.get('content-length')) || undefined;
  const hash = createHash('sha256');
  let received = 0;
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await pipeline(
    Readable.fromWeb(response.body),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        received += chunk.length;
        if (received > maxFileBytes) throw new ModelRefusal(`${file} of ${id} is larger than ${maxFileBytes / 2 ** 20} MiB; that is not the file expected.`);
        hash.update(chunk);
        onProgress?.({ file, received, total });
        yield chunk;
      }
    },
    createWriteStream(path),
  ).catch((cause: unknown) => {
    if (cause instanceof TypeError) throw new ModelRefusal(`${file} of ${id} broke off after ${received} bytes. Try again.`, { cause });
    throw cause;
  });

  const actual = hash.digest('hex');
  const expected = model.sha256[file];
  if (expected !== undefined && actual !== expected) {
    throw new ModelRefusal(`${file} of ${id} is not the file expected (sha256 ${actual}, expected ${expected}); nothing was installed.`);
  }
  return actual;
}
