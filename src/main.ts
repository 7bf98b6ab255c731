import { assemble } from './assemble.ts';
import { readConfig } from './config.ts';
import { createApp } from './envelope/http.ts';
import { startHttp } from './envelope/listen.ts';
import { Failure } from './failure.ts';
import { createLogger } from './logger.ts';
import { Refusal } from './refusal.ts';
import { defaultTenant } from './store/credentials.ts';
import { firstStart } from './upkeep/first-start.ts';

/** Runs the service until it is told to stop: config, parts, listen, wait, close. */
export async function serve(env: Readonly<Record<string, string | undefined>>, print: (text: string) => void): Promise<void> {
  const { config, secrets } = readConfig(env);
  const log = createLogger(config.logLevel);
  const stop = stopSignal();

  const { service, store, oauthClients, close } = await assemble(config, secrets, log);
  try {
    const token = await firstStart(store, secrets.bootstrapToken);
    let address = '';
    const baseUrl = () => config.publicUrl ?? address;
    const app = createApp({ service, config, logger: log, baseUrl, oauth: oauthClients });
    const listening = await startHttp(app, config);
    address = listening.address;
    print(greeting(baseUrl(), token, secrets.bootstrapToken !== undefined));
    log.info({ address, signal_to_stop: 'SIGTERM' }, 'listening');

    const signal = await stop;
    log.info({ signal }, 'stopping');
    await listening.close();
  } finally {
    await close();
  }
  log.info({}, 'stopped');
}

function greeting(baseUrl: string, token: string | undefined, chosen: boolean): string {
  const shown = token === undefined ? '$KNEEBOARD_TOKEN' : chosen ? '$KNEEBOARD_BOOTSTRAP_TOKEN' : token;
  return [
    `Kneeboard serves at ${baseUrl}  (MCP: ${baseUrl}/mcp, REST: ${baseUrl}/v1, OpenAPI: ${baseUrl}/openapi.json)`,
    ...(token !== undefined && !chosen ? [`Token of the owner of tenant "${defaultTenant}", shown this once: ${token}`] : []),
    'Try it:',
    `  curl -s ${baseUrl}/v1/memory.search -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' -d '{"query":"anything"}'`,
    '',
  ].join('\n');
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

/** A fault that the operator can mend is one sentence; anything else keeps its stack. */
export function explain(error: unknown): string {
  if (error instanceof Refusal || error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
