import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer } from './wire.ts';
import { send } from './wire.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningProcess {
  url: string;
  token: string;
  child: ChildProcess;
  /** All that it has printed. */
  output(): string;
  call(verb: string, input: unknown): Promise<Answer>;
  /** Ends it and waits. @returns its exit code, null when it was killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export const bootstrapToken = 'test-owner-token-0123456789abcdef';

/** Runs the command line as an operator does, in a process of its own. */
export function kneeboard(args: readonly string[], env: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args], { cwd: root, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a command to its end. */
export async function runToEnd(args: readonly string[], env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = kneeboard(args, env);
  const output = collect(child);
  const [code] = await once(child, 'close');
  return { code: code as number | null, output: output() };
}

/** Starts the service on a free port and waits until it serves. @throws with its output when it ends instead. */
export async function startProcess(env: Record<string, string>): Promise<RunningProcess> {
  const child = kneeboard(['serve'], { KNEEBOARD_PORT: '0', KNEEBOARD_RATE_LIMIT: '1000000', KNEEBOARD_BOOTSTRAP_TOKEN: bootstrapToken, ...env });
  const output = collect(child);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /serves at (http:\S+)/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', look);
    child.once('close', () => reject(new Error(output())));
  });
  return {
    url,
    token: bootstrapToken,
    child,
    output,
    call: (verb, input) =>
      send({ url }, `/v1/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bootstrapToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      }),
    async end(signal) {
      const closed = once(child, 'close');
      child.kill(signal);
      return (await closed)[0] as number | null;
    },
  };
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}
