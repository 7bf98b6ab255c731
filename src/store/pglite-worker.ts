// The embedded database, in a worker thread: a statement blocks the thread it runs in from start to end.
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type PGliteOptions, type Results } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { vector } from '@electric-sql/pglite-pgvector';
import { pickFields, type SqlErrorFields } from './sqlstate.ts';
import { parsers } from './values.ts';

export interface PgliteWorkerData {
  /** Folder of the cluster; undefined keeps everything in memory. */
  clusterDir: string | undefined;
  /** A dump to start from, instead of an empty database. Only in memory. */
  template: Uint8Array | undefined;
}

export type PgliteCall =
  | { kind: 'query'; text: string; values: readonly (string | null)[] }
  | { kind: 'exec'; script: string }
  | { kind: 'dump' }
  | { kind: 'close' };

export type PgliteRequest = PgliteCall & { id: number };

/** `id` 0 reports the start. `fatal`: the engine broke, and answers nothing further. */
export type PgliteReply = { id: number; result: unknown } | { id: number; error: Partial<SqlErrorFields> & { message: string }; fatal: boolean };

type StreamOps = Record<string, unknown> & { fsync?: (stream: { nfd?: number; node: unknown }) => number };
interface NodeFsType {
  stream_ops: StreamOps;
  realPath(node: unknown): string;
}

/**
 * PGlite switches fsync off (-F) and its file system ignores it. Postgres itself knows best what must be on the disk
 * and when: at a commit its log, at a checkpoint its files. Measured at 1.6 ms a commit; nothing else became slower.
 */
class SyncedNodeFS extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const useSync: NonNullable<typeof emscriptenOpts.preRun>[number] = (module) => {
      const nodeFs = (module.FS as unknown as { filesystems: { NODEFS: NodeFsType } }).filesystems.NODEFS;
      nodeFs.stream_ops.fsync = ({ nfd, node }) => {
        if (nfd === undefined) syncFolder(nodeFs.realPath(node));
        else fdatasyncSync(nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), useSync] } };
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Parameters come as text already; these two of PGlite's own serializers would refuse that before Postgres sees it. */
const serializers = { 16: String, 17: String };

const { clusterDir, template } = workerData as PgliteWorkerData;

function storage(): PGliteOptions {
  if (clusterDir === undefined) return { dataDir: 'memory://', ...(template === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(template)]) }) };
  // fdatasync, the default method, is a system call that this build of Postgres answers without doing anything.
  const startParams = [...PGlite.defaultStartParams.filter((param) => param !== '-F'), '-c', 'wal_sync_method=fsync'];
  return { fs: new SyncedNodeFS(clusterDir), startParams };
}

function reply(message: PgliteReply): void {
  parentPort?.postMessage(message);
}

/**
 * Postgres's own refusals carry a SQLSTATE. Whatever else is thrown (a WebAssembly trap, a JavaScript exception that
 * unwound through it) has left Postgres in the middle of something, and nothing in its memory can be relied on.
 */
function fail(id: number, error: unknown): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  const fatal = code === undefined || ('severity' in cause && cause.severity === 'PANIC');
  reply({ id, error: { message: cause.message, ...(code === undefined ? {} : { code }), ...pickFields(cause) }, fatal });
}

/** After a stack overflow inside, PGlite answers with no rows and no command, as if nothing had been asked. */
function checkAnswer(text: string, results: Results | undefined): Results {
  if (results?.command !== undefined || isBlank(text)) return results ?? { rows: [], fields: [] };
  throw new Error('the embedded database gave no answer to a statement');
}

function isBlank(text: string): boolean {
  return text.replace(/--.*$/gm, '').replace(/[\s;]/g, '') === '';
}

async function answer(database: PGlite, call: PgliteCall): Promise<unknown> {
  switch (call.kind) {
    case 'query':
      return checkAnswer(call.text, await database.query(call.text, [...call.values])).rows;
    case 'exec':
      return checkAnswer(call.script, (await database.exec(call.script)).at(-1)).command ?? '';
    case 'dump':
      return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer());
    case 'close':
      await database.close();
      return undefined;
  }
}

try {
  const database = await PGlite.create({ ...storage(), extensions: { vector }, parsers: { ...parsers }, serializers });
  parentPort?.on('message', ({ id, ...call }: PgliteRequest) => {
    answer(database, call).then(
      (result) => {
        reply({ id, result });
        if (call.kind === 'close') parentPort?.close();
      },
      (error: unknown) => fail(id, error),
    );
  });
  reply({ id: 0, result: undefined });
} catch (error) {
  fail(0, error);
}
