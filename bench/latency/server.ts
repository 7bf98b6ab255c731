import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TemporaryStore } from '../temporary.ts';

/** The service as its users start it, in a process of its own. */
export interface RunningServer extends AsyncDisposable {
  /** @throws Error for anything but a full success. */
  call(verb: string, body: unknown): Promise<{ ms: number; output: unknown }>;
}

const startTimeoutMs = 60_000;

export async function startServer(store: TemporaryStore): Promise<RunningServer> {
  const token = randomBytes(24).toString('base64url');
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../../src/cli.ts', import.meta.url)), 'serve'], {
    env: {
      ...process.env,
      KNEEBOARD_HOST: '127.0.0.1',
      KNEEBOARD_PORT: '0',
      KNEEBOARD_DATA: store.dataDir,
      DATABASE_URL: store.databaseUrl ?? '',
      KNEEBOARD_BOOTSTRAP_TOKEN: token,
      KNEEBOARD_RATE_LIMIT: '10000000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      const listen = (chunk: Buffer) => {
        if (said.length < 100_000) said += chunk.toString();
        const found = /serves at (\S+)/.exec(said);
        if (found?.[1] !== undefined) resolve(found[1]);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.on('exit', (code) => reject(new Error(`The service ended with code ${code} before it listened:\n${said}`)));
      setTimeout(() => reject(new Error(`The service did not listen within ${startTimeoutMs} ms:\n${said}`)), startTimeoutMs).unref();
    });
    return { call: (verb, body) => post(`${address}/v1/${verb}`, token, body), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Node's own fetch keeps the connection alive between calls. The time is that of request and whole response, parsing left out. */
async function post(url: string, token: string, body: unknown): Promise<{ ms: number; output: unknown }> {
  const init = { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const begun = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const ms = performance.now() - begun;
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 2_000)}`);
  return { ms, output: JSON.parse(text) };
}
