// One process a data folder: PGlite itself lets two of them open one folder, and both then lose rows without a word.
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreRefusal } from './refusal.ts';

export interface FolderLock {
  release(): void;
  /** Called once when the lock is found to be another's, after this process stood still for long. */
  onLost(listener: () => void): void;
}

interface Owner {
  pid: number;
  /** When the process began, in the kernel's ticks: a pid is used again, a pid with its start is not. */
  startedAt: string | undefined;
  host: string;
  /** Within one place a pid means the same process for all: this boot of this machine and this pid namespace. */
  place: string;
  nonce: string;
}

const beatMs = 2_000;
const silentMs = 10_000;
const dyingMs = 1_000;
const pollMs = 100;

/**
 * Takes the folder for this process. An owner in the same place is looked up by its pid, so a lock left by kill -9 is
 * taken over at once, and a suspended owner keeps it. An owner elsewhere (another container or machine that shares
 * the folder) is known by its heartbeat only: it has lost the lock after ten silent seconds.
 * @throws StoreRefusal naming folder and pid when it is in use.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock');
  const self = describeSelf();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (claim(path, self)) return hold(path, self);
    const owner = readOwner(path);
    if (owner === 'none') continue;
    if (await isAlive(path, owner, self)) throw new StoreRefusal(describeUse(folder, path, owner, self));
    removeStale(path, owner, self);
  }
  throw new StoreRefusal(`Other processes are taking the data folder ${folder} at this moment. Try again.`);
}

function describeSelf(): Owner {
  const place = `${readText('/proc/sys/kernel/random/boot_id')} ${readNamespace()} ${hostname()}`;
  return { pid: process.pid, startedAt: startOf(process.pid), host: hostname(), place, nonce: `${process.pid}-${Math.random().toString(36).slice(2)}` };
}

/** A link appears whole or not at all, so nobody ever reads half an owner. */
function claim(path: string, self: Owner): boolean {
  const draft = `${path}.${self.nonce}`;
  writeFileSync(draft, JSON.stringify(self));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function hold(path: string, self: Owner): FolderLock {
  let listener = (): void => undefined;
  const beat = setInterval(() => {
    if (isOurs(path, self) || (readOwner(path) === 'none' && claim(path, self))) touch(path);
    else {
      clearInterval(beat);
      listener();
    }
  }, beatMs).unref();
  const release = (): void => {
    clearInterval(beat);
    process.off('exit', release);
    if (isOurs(path, self)) rmSync(path, { force: true });
  };
  process.once('exit', release);
  return {
    release,
    onLost(react) {
      listener = react;
    },
  };
}

/** `damaged`: a power failure can leave an empty file. */
function readOwner(path: string): Owner | 'none' | 'damaged' {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'none' : 'damaged';
  }
}

function isOurs(path: string, self: Owner): boolean {
  return nonceOf(readOwner(path)) === self.nonce;
}

function nonceOf(owner: Owner | 'none' | 'damaged'): string {
  return typeof owner === 'string' ? owner : owner.nonce;
}

async function isAlive(path: string, owner: Owner | 'damaged', self: Owner): Promise<boolean> {
  if (owner !== 'damaged' && owner.place === self.place) return staysRunning(owner, self);
  const seen = beatOf(path);
  // A beat from the future is another machine's clock; it is given the full time.
  for (let waited = 0; waited < silentMs && Date.now() - seen < silentMs; waited += pollMs) {
    await sleep(pollMs);
    if (beatOf(path) !== seen) return nonceOf(readOwner(path)) === nonceOf(owner);
  }
  return false;
}

/** A process is seen for some moments after kill -9, while the kernel takes its memory back. */
async function staysRunning(owner: Owner, self: Owner): Promise<boolean> {
  for (let waited = 0; isRunning(owner); waited += pollMs) {
    if (waited >= dyingMs || owner.pid === self.pid) return true;
    await sleep(pollMs);
  }
  return false;
}

function isRunning({ pid, startedAt }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** Two starters may both find the same stale lock; the slower one may then hold the quicker one's new lock here, and puts it back. */
function removeStale(path: string, owner: Owner | 'damaged', self: Owner): void {
  const aside = `${path}.${self.nonce}.stale`;
  try {
    renameSync(path, aside);
    if (nonceOf(readOwner(aside)) !== nonceOf(owner)) linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function describeUse(folder: string, path: string, owner: Owner | 'damaged', self: Owner): string {
  if (owner === 'damaged') return `The data folder ${folder} is in use by another process.`;
  if (owner.place !== self.place)
    return `The data folder ${folder} is in use by process ${owner.pid} on ${owner.host}. Stop it, or set KNEEBOARD_DATA to another folder.`;
  if (owner.pid === self.pid) return `The data folder ${folder} is already open in this process, ${owner.pid}.`;
  const unsure = owner.startedAt === undefined ? ` If that process is not Kneeboard, remove ${path}.` : '';
  return `The data folder ${folder} is in use by process ${owner.pid}. Stop it, or set KNEEBOARD_DATA to another folder.${unsure}`;
}

function beatOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // A full or failing disk shows itself in the database; the lock is still ours.
  }
}

/**
 * Field 22 of /proc/pid/stat, counted behind the name, which may hold spaces. A zombie, killed and not yet reaped, has
 * none: it holds no files. Undefined where there is no /proc.
 */
function startOf(pid: number): string | undefined {
  const fields = readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function readNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
