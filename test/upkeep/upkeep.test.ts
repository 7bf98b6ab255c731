import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { createTransformersEmbedder } from '../../src/embedding/transformers.ts';
import { createStore } from '../../src/store/store.ts';
import { fillVectors, startUpkeep } from '../../src/upkeep/backfill.ts';
import { firstStart } from '../../src/upkeep/first-start.ts';
import { identityOf, ModelMismatch, matchModel } from '../../src/upkeep/model-match.ts';
import { describeEngines } from '../helpers/databases.ts';
import { createTestbed, type Output, shippedEmbedder } from '../helpers/testbed.ts';

const quiet = { info: () => {}, warn: () => {} };

describeEngines('upkeep', (open) => {
  let tiny: Embedder;
  beforeAll(async () => {
    tiny = await createTransformersEmbedder({ model: fileURLToPath(new URL('../embedding/tiny-bert', import.meta.url)) });
  });
  afterAll(() => tiny.close());

  it('gives memories that were written without a vector theirs once the embedder answers again', async () => {
    const bed = await createTestbed(await open());
    const me = await bed.agent();
    bed.embedding.works = false;
    const memory = await me.remember('Payments are retried three times.');
    expect(memory.embedding).toBe('pending');

    bed.embedding.works = true;
    const modelNo = await matchModel(bed.store.vectors, (await shippedEmbedder()).manifest);
    const upkeep = startUpkeep({ vectors: bed.store.vectors, embedder: await shippedEmbedder(), modelNo, sweep: async () => {}, log: quiet });
    await expect.poll(async () => (await me.ok('memory.get', { id: memory.id })).memory.embedding, { timeout: 10_000 }).toBe('ready');
    await upkeep.stop();
    const { hits } = await me.ok('memory.search', { query: 'charges are attempted again' });
    expect(hits[0].score_breakdown.vector.similarity).toBeGreaterThan(0);
  });

  it('tries again after the embedder failed, by itself', async () => {
    const bed = await createTestbed(await open());
    const me = await bed.agent();
    let answers = false;
    const model = await shippedEmbedder();
    const moody: Embedder = { ...model, embed: (texts, role) => (answers ? model.embed(texts, role) : Promise.reject(new Error('not now'))) };
    const modelNo = await matchModel(bed.store.vectors, model.manifest);
    const upkeep = startUpkeep({ vectors: bed.store.vectors, embedder: moody, modelNo, sweep: async () => {}, log: quiet });
    bed.embedding.works = false;
    const memory = await me.remember('written in the dark');
    await expect(upkeep.embedder.embed(['written in the dark'], 'passage')).rejects.toThrow('not now');
    answers = true;
    await expect.poll(async () => (await me.ok('memory.get', { id: memory.id })).memory.embedding, { timeout: 15_000 }).toBe('ready');
    await upkeep.stop();
  });

  it('refuses a model that did not make the stored vectors and names the command that fixes it', async () => {
    const bed = await createTestbed(await open());
    await (await bed.agent()).remember('embedded by the first model');
    const refused = matchModel(bed.store.vectors, tiny.manifest);
    await expect(refused).rejects.toThrow(ModelMismatch);
    await expect(refused).rejects.toThrow(/kneeboard reembed/);
  });

  it('takes another model as long as nothing is stored', async () => {
    const store = createStore(await open());
    await matchModel(store.vectors, (await shippedEmbedder()).manifest);
    await matchModel(store.vectors, tiny.manifest);
    expect(await store.vectors.active()).toEqual(identityOf(tiny.manifest));
  });

  it('fills a second model in beside the first, then switches', async () => {
    const bed = await createTestbed(await open());
    const me = await bed.agent();
    await me.ok('memory.remember', { memories: Array.from({ length: 70 }, (_, n) => ({ content: `re-embedded fact ${n}`, kind: 'fact' })) });
    const { vectors } = bed.store;
    const modelNo = await vectors.register(identityOf(tiny.manifest));
    const progress: number[] = [];
    expect(await fillVectors(vectors, tiny, modelNo, (done) => progress.push(done))).toBe(70);
    expect(progress).toEqual([32, 64, 70]);
    expect((await me.ok('memory.search', { query: 'fact', limit: 3 })).hits.every((hit: Output) => hit.embedding === 'ready')).toBe(true);
    await vectors.activate(modelNo);
    expect(await vectors.active()).toEqual(identityOf(tiny.manifest));
    expect(await fillVectors(vectors, tiny, modelNo)).toBe(0);
    const rows = await bed.database.query<{ n: number }>('select count(*)::int as n from memory_vector');
    expect(rows).toEqual([{ n: 70 }]);
  });

  it('takes expired memories out of the index', async () => {
    const bed = await createTestbed(await open());
    const me = await bed.agent();
    await me.remember('short-lived walnut', { expires_at: new Date(bed.clock.now.getTime() + 1_000).toISOString() });
    await me.remember('long-lived walnut');
    const later = new Date(bed.clock.now.getTime() + 1_000);
    expect(await bed.store.unindexExpired(later, (text) => text.split(/[ -]/), 100)).toBe(1);
    expect(await bed.store.unindexExpired(later, (text) => text.split(/[ -]/), 100)).toBe(0);
    expect(await bed.database.query('select memories from scope where tenant_id = $1', [me.caller.tenantId])).toEqual([{ memories: 1 }]);
  });

  it('gives an empty store one owner and one token, once', async () => {
    const store = createStore(await open());
    const tokens = await Promise.allSettled([firstStart(store, undefined), firstStart(store, undefined)]);
    const made = tokens.flatMap((result) => (result.status === 'fulfilled' && result.value !== undefined ? [result.value] : []));
    expect(made).toHaveLength(1);
    expect(await firstStart(store, undefined)).toBeUndefined();
    const caller = await store.credentials.authenticate(made[0] ?? '', new Date());
    expect(caller).toMatchObject({ tenantId: 'default', name: 'owner', grants: [{ scope: '*' }] });
  });
});
