/** The model's own process: it loads the files, then answers batches until the service closes the channel. */
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { AutoModel, AutoTokenizer, env, type PreTrainedModel, type PreTrainedTokenizer, Tensor } from '@xenova/transformers';
import type { InstalledModel } from './manifest.ts';

export type ModelRequest = { batch: number; texts: string[] };
/** `vectors` holds the texts' vectors one after the other. */
export type ModelReply = { ready: true } | { failed: string } | { batch: number; vectors: Float32Array } | { batch: number; error: string };

interface Model {
  tokenizer: PreTrainedTokenizer;
  network: PreTrainedModel;
  /** Ids that say nothing about a text: padding, unknown, frame. */
  empty: ReadonlySet<number>;
  literals: RegExp | undefined;
}

const { folder, manifest } = JSON.parse(process.argv[2] ?? '{}') as InstalledModel;

/** A batch costs memory by its square: the model compares each of its tokens with each. 2²¹ cells are 8 MB. */
const maxCells = 2 ** 21;

async function loadFiles(): Promise<Model> {
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.localModelPath = dirname(folder);
  // transformers.js writes the model's input to the console when a run fails; that is a user's text. The error itself is passed on.
  console.error = console.warn = () => {};
  useOneThread();
  const tokenizer = await AutoTokenizer.from_pretrained(basename(folder));
  const network = await AutoModel.from_pretrained(basename(folder));
  const { special_tokens: special } = tokenizer;
  return {
    tokenizer,
    network,
    empty: new Set([...tokenizer.all_special_ids, tokenizer.pad_token_id, tokenizer.unk_token_id]),
    literals: special.length === 0 ? undefined : new RegExp(special.map((token) => token.replace(/[^\w]/g, '\\$&')).join('|'), 'g'),
  };
}

/** transformers.js 2.17 does not pass session options on. More threads than one fight with the service for its cores. */
function useOneThread(): void {
  const fromLibrary = createRequire(createRequire(import.meta.url).resolve('@xenova/transformers'));
  const { InferenceSession } = fromLibrary('onnxruntime-node') as { InferenceSession: { create(model: unknown, options: object): Promise<unknown> } };
  const create = InferenceSession.create.bind(InferenceSession);
  InferenceSession.create = (file, options) => create(file, { ...options, intraOpNumThreads: 1, interOpNumThreads: 1 });
}

function tokenize(model: Model, text: string): number[] {
  // The library would take `[SEP]` in somebody's text for the real thing.
  const plain = model.literals === undefined ? text : text.replace(model.literals, (token) => `${token[0]} ${token.slice(1)}`);
  const ids = model.tokenizer.encode(plain);
  if (ids.length <= manifest.maxTokens) return ids;
  const cut = ids.slice(0, manifest.maxTokens);
  const last = ids.at(-1);
  if (last !== undefined && last === model.tokenizer.sep_token_id) cut[cut.length - 1] = last;
  return cut;
}

async function embed(model: Model, texts: readonly string[]): Promise<Float32Array> {
  const vectors = new Float32Array(texts.length * manifest.dimensions);
  const known = texts
    .map((text, index) => ({ index, ids: tokenize(model, text) }))
    .filter(({ ids }) => ids.some((id) => !model.empty.has(id)))
    .sort((a, b) => a.ids.length - b.ids.length);
  while (known.length > 0) {
    const longest = known[known.length - 1]?.ids.length ?? 1;
    const group = known.splice(-Math.max(1, Math.floor(maxCells / longest ** 2)));
    const rows = await run(
      model.network,
      group.map(({ ids }) => ids),
      longest,
    );
    for (const [i, { index }] of group.entries()) vectors.set(finite(rows[i]), index * manifest.dimensions);
  }
  return vectors;
}

async function run(network: PreTrainedModel, batch: readonly number[][], length: number): Promise<Float32Array[]> {
  const shape = [batch.length, length];
  const ids = new BigInt64Array(batch.length * length);
  const mask = new BigInt64Array(batch.length * length);
  for (const [row, tokens] of batch.entries()) {
    for (const [column, id] of tokens.entries()) {
      ids[row * length + column] = BigInt(id);
      mask[row * length + column] = 1n;
    }
  }
  const output = (await network._call({ input_ids: new Tensor('int64', ids, shape), attention_mask: new Tensor('int64', mask, shape) })) as {
    last_hidden_state: { data: Float32Array; dims: [number, number, number] };
  };
  const { data, dims } = output.last_hidden_state;
  if (dims[2] !== manifest.dimensions) throw new Error(`The model gives ${dims[2]} dimensions; its manifest says ${manifest.dimensions}.`);
  return batch.map((tokens, row) => pool(data.subarray(row * dims[1] * dims[2], (row + 1) * dims[1] * dims[2]), tokens.length));
}

function pool(states: Float32Array, tokens: number): Float32Array {
  const { dimensions, pooling, normalize } = manifest;
  let vector = states.slice(0, dimensions);
  if (pooling === 'mean') {
    vector = vector.map((_, dimension) => {
      let sum = 0;
      for (let at = dimension; at < tokens * dimensions; at += dimensions) sum += states[at] ?? 0;
      return sum / tokens;
    });
  }
  const length = normalize ? Math.hypot(...vector) : 1;
  return normalize ? vector.map((value) => value / length) : vector;
}

/** A vector with a NaN in it would poison every ranking it takes part in; zeros are merely unlike everything. */
function finite(vector: Float32Array | undefined): Float32Array {
  return vector?.every(Number.isFinite) ? vector : new Float32Array(manifest.dimensions);
}

function reply(message: ModelReply, then: () => void = () => {}): void {
  process.send?.(message, then);
}

// A terminal or a supervisor may signal every process at once; this one ends when the service has finished with it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());
try {
  const model = await loadFiles();
  process.on('message', async ({ batch, texts }: ModelRequest) => {
    try {
      reply({ batch, vectors: await embed(model, texts) });
    } catch (error) {
      reply({ batch, error: describe(error) });
    }
  });
  reply({ ready: true });
} catch (error) {
  reply({ failed: describe(error) }, () => process.exit(1));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
