import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadModel, modelFiles } from '../../src/embedding/manifest.ts';
import { type PullProgress, pullModel } from '../../src/embedding/pull.ts';
import { type PulledModel, pulledModels } from '../../src/embedding/pulled-models.ts';

const id = 'Xenova/gte-small';
const pinned = 'onnx/model_quantized.onnx';
const gteSmall = pulledModels.get(id) as PulledModel;
const content = `content of ${pinned}`;
/** The real pin cannot be met without the real file. */
const models = new Map([[id, { ...gteSmall, sha256: { [pinned]: createHash('sha256').update(content).digest('hex') } }]]);

/** A hub whose files are whatever a test says. */
let hub: Server;
let baseUrl: string;
let served: Map<string, Buffer>;
let requested: string[];
let into: string;

beforeEach(async () => {
  into = await mkdtemp(join(tmpdir(), 'kneeboard-pull-'));
  served = new Map(modelFiles.map((file) => [`/${id}/resolve/main/${file}`, Buffer.from(`content of ${file}`)]));
  requested = [];
  hub = createServer((request, response) => {
    requested.push(request.url ?? '');
    const body = served.get(request.url ?? '');
    if (body === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
});

afterEach(async () => {
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
  await rm(into, { recursive: true, force: true });
});

test('a pulled model is installed with a manifest that checks', async () => {
  const progress: PullProgress[] = [];
  const { folder, manifest } = await pullModel({ id, into, baseUrl, models, onProgress: (step) => progress.push(step) });
  expect(folder).toBe(join(into, id));
  expect((await loadModel(id, [into])).manifest).toEqual(manifest);
  expect(Object.keys(manifest.sha256)).toEqual([...modelFiles]);
  expect(progress.map(({ file }) => file)).toEqual([...modelFiles]);
  expect(progress.every(({ received, total }) => received === total)).toBe(true);
  expect(await readdir(join(into, 'Xenova'))).toEqual(['gte-small']);
});

test('a model that is there already is not fetched again; a damaged one is', async () => {
  await pullModel({ id, into, baseUrl, models });
  await pullModel({ id, into, baseUrl, models });
  expect(requested).toHaveLength(modelFiles.length);
  await writeFile(join(into, id, 'config.json'), 'damaged');
  await pullModel({ id, into, baseUrl, models });
  expect(requested).toHaveLength(2 * modelFiles.length);
  expect((await loadModel(id, [into])).manifest.id).toBe(id);
});

test('a file that is not the pinned one is refused by name and leaves nothing behind', async () => {
  await expect(pullModel({ id, into, baseUrl })).rejects.toThrow(/onnx\/model_quantized\.onnx of Xenova\/gte-small is not the file expected/);
  expect(await readdir(join(into, 'Xenova'))).toEqual([]);
});

test('a file the hub does not have leaves nothing behind', async () => {
  served.delete(`/${id}/resolve/main/tokenizer.json`);
  await expect(pullModel({ id, into, baseUrl })).rejects.toThrow(/tokenizer\.json of Xenova\/gte-small cannot be fetched: .* answered 404/);
  expect(await readdir(join(into, 'Xenova'))).toEqual([]);
});

test('a download that breaks off is said to have', async () => {
  hub.removeAllListeners('request');
  hub.on('request', (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('half', () => response.destroy());
  });
  await expect(pullModel({ id, into, baseUrl })).rejects.toThrow(/config\.json of Xenova\/gte-small broke off after \d bytes/);
  expect(await readdir(join(into, 'Xenova'))).toEqual([]);
});

test('without a network the sentence says what to do', async () => {
  await expect(pullModel({ id, into, baseUrl: 'http://127.0.0.1:1' })).rejects.toThrow(/is out of reach\. On a machine without a network/);
});

test('an unknown model is refused with the known ones', async () => {
  await expect(pullModel({ id: 'Xenova/other', into, baseUrl })).rejects.toThrow('known are Xenova/all-MiniLM-L6-v2, Xenova/gte-small');
});
