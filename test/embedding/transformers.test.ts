import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';
import { dot } from './vectors.ts';

let embedder: Embedder;
beforeAll(async () => {
  embedder = await createTransformersEmbedder();
});
afterAll(() => embedder.close());

async function similarity(a: string, b: string): Promise<number> {
  const [x, y] = await embedder.embed([a, b], 'passage');
  return dot(x, y);
}

test('the same text gives the same vector, alone or in a batch, as query or as passage', async () => {
  const text = 'Deploy only after the nightly migration has finished.';
  const [alone] = await embedder.embed([text], 'query');
  const [, batched] = await embedder.embed(['one', text, 'a much longer neighbour, so that the batch is padded to its length'], 'passage');
  expect(alone).toHaveLength(embedder.manifest.dimensions);
  expect(batched).toEqual(alone);
});

test.each([
  ['How do I undo the last commit?', 'Revert the most recent git commit but keep the changes.', 'The cafeteria closes at four on Fridays.'],
  ['customer asked for a refund', 'The client wants their money back.', 'Rotate the signing key every ninety days.'],
  ['getUserName throws on null', 'The function get user name fails with a null pointer.', 'We renamed the main branch last year.'],
])('%s: a paraphrase is closer than an unrelated text', async (text, paraphrase, unrelated) => {
  expect(await similarity(text, paraphrase)).toBeGreaterThan((await similarity(text, unrelated)) + 0.05);
});

test.each([
  ['getUserName', 'get user name'],
  ['parseHTTPResponse', 'PARSE HTTP response!'],
  ['Café Ünïcode', 'cafe unicode'],
  ['snake_case/path.ts', 'snake case path ts'],
])('%s is read as %s', async (text, words) => {
  const [a, b] = await embedder.embed([text, words], 'passage');
  expect(a).toEqual(b);
});

test('names of special tokens in a text are words like any other', async () => {
  const bare = await similarity('cls sep mask pad unk', '[CLS] [SEP] [MASK] [PAD] [UNK]');
  expect(bare).toBeCloseTo(await similarity('cls sep mask pad unk', 'cls sep mask pad unk'), 5);
});

test('a text without a known word is all zeros; every text gives finite numbers', async () => {
  const texts = ['', '   \n', '🙂🚀', '你好，世界', 'Привет мир', '\ud800 lone surrogate', '!!! ---', 'a', 'x'.repeat(100_000), 'naïve café'];
  const vectors = await embedder.embed(texts, 'passage');
  expect(vectors.every((vector) => vector.every(Number.isFinite))).toBe(true);
  const zeros = texts.filter((_, i) => vectors[i]?.every((value) => value === 0));
  expect(zeros).toEqual(['', '   \n', '🙂🚀', '你好，世界', 'Привет мир', '!!! ---', 'x'.repeat(100_000)]);
});

test('what lies beyond the model’s token limit does not count', async () => {
  const long = 'alpha beta gamma '.repeat(embedder.manifest.maxTokens);
  const [cut, full] = await embedder.embed([long, `${long} and an entirely different ending`], 'passage');
  expect(full).toEqual(cut);
});

test('a caller who changes its vector does not change later answers', async () => {
  const [first] = await embedder.embed(['cached query'], 'query');
  const before = first?.slice();
  first?.fill(0);
  expect(await embedder.embed(['cached query'], 'query')).toEqual([before]);
});

test('an empty list needs no model', async () => {
  expect(await embedder.embed([], 'query')).toEqual([]);
});

test('the event loop stays free while 500 long texts are embedded', async () => {
  const texts = Array.from({ length: 500 }, (_, i) => `Memory number ${i}: ${'the build server keeps artefacts for thirty days; '.repeat(30)}`);
  let ticks = 0;
  let longestGapMs = 0;
  let last = performance.now();
  const begin = last;
  const timer = setInterval(() => {
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - last);
    last = now;
    ticks += 1;
  }, 5);
  await embedder.embed(texts, 'passage');
  clearInterval(timer);
  const tookMs = performance.now() - begin;
  expect(ticks).toBeGreaterThan(10);
  expect(longestGapMs).toBeLessThan(tookMs / 3);
});
