import { startServer } from '../latency/server.ts';
import { percentile } from '../percentile.ts';
import { temporaryStore } from '../temporary.ts';

export interface LatencyRow {
  policies: number;
  p50: number;
  p95: number;
}

const scope = 'repo:acme/api';
const subjects = ['migrations', 'invoices', 'the login page', 'feature flags', 'the public API', 'search', 'billing', 'the cache', 'release notes', 'webhooks'];
const orders = ['Never change', 'Ask before you change', 'Always add a test for', 'Avoid global state in', 'Do not delete files of', 'Document changes of'];
const checks = 200;

/** The time of a check over HTTP against the running service, by how many policies are in scope: one half rules, one half plain words. */
export async function measureLatency(sizes: readonly number[], serverUrl: string | undefined): Promise<LatencyRow[]> {
  await using store = await temporaryStore(serverUrl);
  await using server = await startServer(store);
  const rows: LatencyRow[] = [];
  let written = 0;
  for (const size of sizes) {
    for (; written < size; written += Math.min(200, size - written)) {
      const batch = Array.from({ length: Math.min(200, size - written) }, (_, at) => policy(written + at));
      await server.call('memory.remember', { memories: batch });
    }
    const times: number[] = [];
    for (let at = 0; at < checks + 20; at += 1) {
      const { ms } = await server.call('preflight.action', { action: action(at) });
      if (at >= 20) times.push(ms);
    }
    rows.push({ policies: size, p50: percentile(times, 0.5), p95: percentile(times, 0.95) });
  }
  return rows;
}

function policy(at: number) {
  const subject = subjects[at % subjects.length];
  const content = `${orders[at % orders.length]} ${subject} in module ${at} (\`src/module${at}/\`).`;
  const rule =
    at % 4 === 0
      ? { effect: 'warn', when: { action_types: ['code.*'], paths: [`src/module${at}/**`] } }
      : { effect: 'block', when: { commands: [`tool${at} * --force*`, `tool${at} destroy*`] } };
  return { content, kind: 'policy', scope_key: scope, ...(at % 2 === 0 && { rule }) };
}

function action(at: number) {
  const subject = subjects[(at * 7) % subjects.length];
  const files = [`src/module${at % 50}/index.ts`, `src/module${(at * 3) % 50}/test.ts`];
  return at % 3 === 0
    ? {
        action_type: 'shell.run',
        summary: `Rebuild ${subject}`,
        command: `cd module${at} && make ${at % 2 === 0 ? 'clean' : 'all'} | tee log`,
        scope_key: scope,
      }
    : { action_type: 'code.patch', summary: `Change how ${subject} are loaded, step ${at}`, changed_files: files, scope_key: scope };
}
