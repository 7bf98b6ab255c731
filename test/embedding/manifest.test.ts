import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultModelId, loadModel, modelFingerprint, packagedModels } from '../../src/embedding/manifest.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';

let root: string;
let copy: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kneeboard-model-'));
  copy = join(root, defaultModelId);
  await cp(join(packagedModels, defaultModelId), copy, { recursive: true, mode: 0 });
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('the packaged model is found by its id and matches its manifest', async () => {
  const { folder, manifest } = await loadModel(defaultModelId);
  expect(folder).toBe(join(packagedModels, defaultModelId));
  expect(manifest.id).toBe(defaultModelId);
});

test('a model folder may be named by its path or found below a further root', async () => {
  expect((await loadModel(copy)).folder).toBe(copy);
  expect((await loadModel(defaultModelId, [root])).folder).toBe(copy);
});

test.each(['onnx/model_quantized.onnx', 'tokenizer.json'])('an altered %s is refused by name', async (file) => {
  const content = await readFile(join(copy, file));
  content[100] = (content[100] ?? 0) ^ 1;
  await writeFile(join(copy, file), content);
  await expect(createTransformersEmbedder({ model: copy })).rejects.toThrow(new RegExp(`${file} in .* is not the file its manifest names`));
});

test('a missing file is refused by name', async () => {
  await rm(join(copy, 'config.json'));
  await expect(loadModel(copy)).rejects.toThrow('config.json cannot be read');
});

test.each(['kneeboard/unheard-of', '../../etc', 'a b'])('%s is refused in plain words', async (id) => {
  await expect(loadModel(id)).rejects.toThrow(/No model|is not a model id/);
});

test.each([
  ['escape the folder', (manifest: Record<string, unknown>) => ({ ...manifest, sha256: { ...(manifest.sha256 as object), '../secret': '0'.repeat(64) } })],
  ['leave the network unchecked', (manifest: Record<string, unknown>) => ({ ...manifest, sha256: {} })],
  ['lack thresholds', ({ thresholds: _, ...rest }: Record<string, unknown>) => rest],
])('a manifest may not %s', async (_title, change) => {
  const path = join(copy, 'manifest.json');
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')))));
  await expect(loadModel(copy)).rejects.toThrow('is not a model manifest');
});

test('the fingerprint changes with any file', async () => {
  const { manifest } = await loadModel(defaultModelId);
  const other = { ...manifest, sha256: { ...manifest.sha256, 'config.json': '0'.repeat(64) } };
  expect(modelFingerprint(manifest)).toMatch(/^[0-9a-f]{64}$/);
  expect(modelFingerprint(other)).not.toBe(modelFingerprint(manifest));
});
