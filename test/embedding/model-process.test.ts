import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder, type TransformersOptions } from '../../src/embedding/transformers.ts';

const children: ChildProcess[] = [];
const remember = (message: unknown): void => {
  children.push((message as { process: ChildProcess }).process);
};
let embedder: Embedder | undefined;

async function open(options: TransformersOptions = {}): Promise<Embedder> {
  embedder = await createTransformersEmbedder(options);
  return embedder;
}

beforeEach(() => subscribe('child_process', remember));
afterEach(async () => {
  unsubscribe('child_process', remember);
  children.length = 0;
  await embedder?.close();
});

const unavailable = expect.objectContaining({ name: 'Failure', code: 'dependency_unavailable' });
const many = Array.from({ length: 400 }, (_, i) => `text ${i} ${'with a good many words in it '.repeat(50)}`);

test('a process that dies fails what is pending and is replaced on the next call', async () => {
  const { embed } = await open();
  const before = await embed(['still here'], 'passage');
  const pending = [embed(many, 'passage'), embed(['one behind them'], 'passage')];
  await new Promise((resolve) => setTimeout(resolve, 5));
  children[0]?.kill('SIGKILL');
  const outcomes = await Promise.allSettled(pending);
  expect(outcomes).toEqual([
    { status: 'rejected', reason: unavailable },
    { status: 'rejected', reason: unavailable },
  ]);
  expect(await embed(['still here'], 'passage')).toEqual(before);
  expect(children).toHaveLength(2);
});

test('requests beyond the queue are refused at once and the others answered', async () => {
  const { embed } = await open({ maxQueue: 400 });
  const accepted = embed(many, 'passage');
  await expect(embed(['one more'], 'passage')).rejects.toEqual(unavailable);
  expect(await accepted).toHaveLength(400);
  expect(await embed(['room again'], 'passage')).toHaveLength(1);
});

test('a query is answered before passages that came earlier', async () => {
  const { embed } = await open();
  const order: string[] = [];
  await Promise.all([
    embed(many, 'passage').then(() => order.push('passages')),
    embed(['who owns the billing service'], 'query').then(() => order.push('query')),
  ]);
  expect(order).toEqual(['query', 'passages']);
});

test('a request that takes too long is refused', async () => {
  const { embed } = await open({ timeoutMs: 20 });
  await expect(embed([...many, ...many, ...many], 'passage')).rejects.toEqual(unavailable);
});

test.runIf(process.platform === 'linux')('the process sees none of the service’s environment', async () => {
  process.env['KNEEBOARD_SECRET_OF_TEST'] = 'x';
  await open();
  delete process.env['KNEEBOARD_SECRET_OF_TEST'];
  const environment = await readFile(`/proc/${children[0]?.pid}/environ`, 'utf8');
  expect(environment).not.toContain('KNEEBOARD_SECRET_OF_TEST');
});

test('after close nothing is embedded', async () => {
  const { embed, close } = await open();
  await close();
  expect(children[0]?.signalCode).toBe('SIGKILL');
  await expect(embed(['late'], 'query')).rejects.toEqual(unavailable);
});
