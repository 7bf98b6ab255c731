import { createApp } from '../../src/envelope/http.ts';
import { startHttp } from '../../src/envelope/listen.ts';
import { createLogger } from '../../src/logger.ts';
import type { Service } from '../../src/service.ts';
import { createToyService } from './toy-service.ts';

export interface StartedService {
  url: string;
  /** May do everything in its tenant. */
  token: string;
  /** May only read. */
  readerToken: string;
  /** A machine principal's client id and secret. */
  client: { id: string; secret: string };
  /** What was logged, one line each. */
  log: string[];
  /** From now on the store does not answer. */
  breakStore(): void;
  close(): Promise<void>;
}

export interface StartOptions {
  rateLimit?: number;
  allowedOrigins?: string[];
  /** Swaps a part of the service, to plant a defect. */
  alter?(service: Service): Service;
}

/** The whole service on a free port. */
export async function startService({ rateLimit = 100_000, allowedOrigins = [], alter = (service) => service }: StartOptions = {}): Promise<StartedService> {
  const log: string[] = [];
  const toy = createToyService({ rateLimit });
  let address = '';
  const app = createApp({
    service: alter(toy.service),
    config: { rateLimit, allowedOrigins },
    logger: createLogger('info', { write: (line) => void log.push(line) }),
    baseUrl: () => address,
    oauthClients: toy.oauthClients,
  });
  const listening = await startHttp(app, { host: '127.0.0.1', port: 0 });
  address = listening.address;
  return {
    url: address,
    token: 'toy-owner-token',
    readerToken: 'toy-reader-token',
    client: { id: 'toy-client', secret: 'toy-secret' },
    log,
    breakStore: toy.breakStore,
    close: () => listening.close({ timeoutMs: 1_000 }),
  };
}
