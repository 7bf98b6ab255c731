import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ModelManifest } from './embedder.ts';
import { ModelRefusal } from './refusal.ts';

export interface InstalledModel {
  folder: string;
  manifest: ModelManifest;
}

export const defaultModelId = 'kneeboard/static-20k-512';

/** The files transformers.js reads. A manifest that leaves one out would leave it unchecked. */
export const modelFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'] as const;

/** `models/` of this package: two levels up, both from src/embedding and from dist/embedding. */
export const packagedModels = fileURLToPath(new URL('../../models', import.meta.url));

/**
 * Finds a model by id below `roots` (the packaged models come last) or by the path of its folder, and checks every
 * file against the manifest. Throws an Error in plain words: a model that cannot be trusted is the operator's to mend.
 */
export async function loadModel(idOrPath: string, roots: readonly string[] = []): Promise<InstalledModel> {
  const model = await findModel(idOrPath, [...roots, packagedModels]);
  for (const [file, expected] of Object.entries(model.manifest.sha256)) {
    const actual = await sha256OfFile(join(model.folder, file)).catch((cause: unknown) => {
      throw new ModelRefusal(`Model ${model.manifest.id}: ${file} cannot be read from ${model.folder}.`, { cause });
    });
    if (actual !== expected) {
      throw new ModelRefusal(
        `Model ${model.manifest.id}: ${file} in ${model.folder} is not the file its manifest names (sha256 ${actual}, expected ${expected}). Install the model again.`,
      );
    }
  }
  return model;
}

/** Tells apart two models that share an id: vectors may only be compared when this is the same. */
export function modelFingerprint(manifest: ModelManifest): string {
  const { sha256, pooling, normalize, maxTokens } = manifest;
  const files = Object.entries(sha256).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([files, pooling, normalize, maxTokens]))
    .digest('hex');
}

async function findModel(idOrPath: string, roots: readonly string[]): Promise<InstalledModel> {
  const isPath = isAbsolute(idOrPath) || idOrPath.startsWith('.');
  if (!isPath && !modelId.safeParse(idOrPath).success)
    throw new ModelRefusal(`"${idOrPath}" is not a model id such as ${defaultModelId}, nor the path of a folder.`);
  const folders = isPath ? [resolve(idOrPath)] : roots.map((root) => join(root, idOrPath));
  for (const folder of folders) {
    const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(ifMissing);
    if (text !== undefined) return { folder, manifest: readManifest(text, folder) };
  }
  throw new ModelRefusal(`No model ${idOrPath}: there is no manifest.json in ${folders.join(' nor in ')}.`);
}

function readManifest(text: string, folder: string): ModelManifest {
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch (cause) {
    throw new ModelRefusal(`manifest.json in ${folder} is not a model manifest: ${cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)}`, {
      cause,
    });
  }
}

/** One or two names, as on a model hub; no way out of the models folder. */
export const modelId = z.string().regex(/^[\w][\w.-]*(\/[\w][\w.-]*)?$/);

const manifestShape = z.object({
  id: modelId,
  dimensions: z.int().positive(),
  pooling: z.enum(['cls', 'mean']),
  normalize: z.boolean(),
  maxTokens: z.int().positive(),
  maxBatch: z.int().positive(),
  sha256: z
    .record(z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/), z.string().regex(/^[0-9a-f]{64}$/))
    .refine((files) => modelFiles.every((file) => file in files), { error: `must name ${modelFiles.join(', ')}` }),
  licence: z.string(),
  thresholds: z.object({ duplicate: z.number(), relevance: z.number() }),
});

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
