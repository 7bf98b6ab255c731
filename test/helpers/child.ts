import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  process: ChildProcess;
  /** The next line it prints; the empty string once it has ended. */
  nextLine(): Promise<string>;
}

/** Starts a program beside this file as a process of its own. */
export function startChild(program: string, args: readonly string[]): Child {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, nextLine: async () => (await lines.next()).value ?? '' };
}
