import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderLock, lockFolder } from '../../src/store/lock.ts';
import { type Child, startChild } from '../helpers/child.ts';

let folder: string;
let path: string;
let held: FolderLock[];
let children: Child[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kneeboard-lock-'));
  path = join(folder, 'lock');
  held = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL');
  for (const lock of held) lock.release();
  await rm(folder, { recursive: true, force: true });
});

async function take(): Promise<FolderLock> {
  const lock = await lockFolder(folder);
  held.push(lock);
  return lock;
}

function lockInChild(): Child {
  const child = startChild('lock-child.ts', [folder]);
  children.push(child);
  return child;
}

/** A lock as this process would leave it, altered. */
async function leaveLock(changes: Record<string, unknown>, ageMs = 0): Promise<void> {
  const lock = await lockFolder(folder);
  const text = readFileSync(path, 'utf8');
  lock.release();
  writeFileSync(path, JSON.stringify({ ...JSON.parse(text), nonce: 'other', ...changes }));
  const beat = new Date(Date.now() - ageMs);
  utimesSync(path, beat, beat);
}

function nonce(): unknown {
  return (JSON.parse(readFileSync(path, 'utf8')) as { nonce: unknown }).nonce;
}

describe('a data folder', () => {
  test('is refused to a second process in a sentence with folder and pid', async () => {
    await take();
    expect(await lockInChild().nextLine()).toBe(
      `StoreRefusal: The data folder ${folder} is in use by process ${process.pid}. Stop it, or set KNEEBOARD_DATA to another folder.`,
    );
  });

  test('is refused to the same process twice', async () => {
    await take();
    await expect(take()).rejects.toThrow(`The data folder ${folder} is already open in this process, ${process.pid}.`);
  });

  test('is free again after release', async () => {
    (await take()).release();
    expect(existsSync(path)).toBe(false);
    await take();
  });

  test('is free at once after kill -9 of the process that had it', async () => {
    const child = lockInChild();
    expect(await child.nextLine()).toBe('locked');
    await expect(take()).rejects.toThrow(`in use by process ${child.process.pid}`);
    child.process.kill('SIGKILL');
    expect(await child.nextLine()).toBe('');
    const started = performance.now();
    await take();
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('goes to exactly one of eight processes that find the same stale lock', { timeout: 60_000 }, async () => {
    await leaveLock({ startedAt: '1' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => lockInChild().nextLine()));
    expect(answers.filter((answer) => answer === 'locked')).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('StoreRefusal: '))).toHaveLength(7);
  });
});

describe('the lock of', () => {
  test('a process that still runs is respected, however long it has been silent', async () => {
    await leaveLock({}, 60_000);
    await expect(take()).rejects.toThrow('already open in this process');
  });

  test('a process whose pid was given to another is taken over', async () => {
    await leaveLock({ startedAt: '1' });
    await take();
    expect(nonce()).not.toBe('other');
  });

  test('a process elsewhere is taken over once it has been silent for ten seconds', async () => {
    await leaveLock({ place: 'another machine' }, 9_000);
    const started = performance.now();
    await take();
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  test('a process elsewhere is respected while it beats', async () => {
    await leaveLock({ place: 'another machine', host: 'other-host', pid: 7 });
    const beat = setInterval(() => utimesSync(path, new Date(), new Date()), 500);
    await expect(take().finally(() => clearInterval(beat))).rejects.toThrow(`${folder} is in use by process 7 on other-host.`);
  });

  test('a machine that lost power while writing it is taken over', async () => {
    writeFileSync(path, '');
    utimesSync(path, 1, 1);
    await take();
  });

  test('this process is missed within seconds when another has it, and is then left alone', async () => {
    const lock = await take();
    let lost = 0;
    lock.onLost(() => {
      lost += 1;
    });
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), nonce: 'other' }));
    await expect.poll(() => lost, { timeout: 10_000 }).toBe(1);
    lock.release();
    expect(nonce()).toBe('other');
  });

  test('this process is written again when somebody removed the file', async () => {
    await take();
    const before = nonce();
    rmSync(path);
    await expect.poll(() => existsSync(path) && nonce(), { timeout: 10_000 }).toBe(before);
  });
});
