/** What a transformer model needs and the static one does not: mean pooling, unit length, special tokens around a text. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';

let embedder: Embedder;
beforeAll(async () => {
  embedder = await createTransformersEmbedder({ model: fileURLToPath(new URL('./tiny-bert', import.meta.url)) });
});
afterAll(() => embedder.close());

async function embed(...texts: string[]): Promise<number[][]> {
  const vectors = await embedder.embed(texts, 'passage');
  return vectors.map((vector) => [...vector].map((value) => Math.round(value * 1000) / 1000));
}

test('states are averaged over a text’s own tokens and scaled to unit length', async () => {
  // [CLS] and [SEP] cancel each other in this model.
  expect(await embed('north', 'north east', 'Up north upward')).toEqual([
    [1, 0, 0],
    [0.707, 0.707, 0],
    [0.371, 0, 0.928],
  ]);
});

test('[SEP] in a text is spelt, not taken for the end of a sentence', async () => {
  expect(await embed('[SEP]')).toEqual([[0.707, 0.707, 0]]);
});

test('a text that is too long keeps its beginning and its last special token', async () => {
  expect(await embed('east east east east north north')).toEqual([[0, 1, 0]]);
});

test('a text of unknown words is all zeros, not the frame around it', async () => {
  expect(await embed('', 'somewhere', '你好')).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ]);
});
