import { z } from 'zod';
import { Refusal } from './refusal.ts';

/** Everything the environment decides, as one value. Secrets are kept apart so that this can be logged. */
export interface Config {
  host: string;
  port: number;
  /** Folder of the embedded database. Unused when `databaseUrl` of the secrets is set. */
  dataDir: string;
  /** Model id below `models/`, or a path to a model's folder. */
  model: string;
  /** Base address that clients use, without a slash at the end; undefined means: as bound. */
  publicUrl: string | undefined;
  /** Requests a minute and principal. */
  rateLimit: number;
  /** Requests a minute and address that may fail for lack of a good credential. */
  guessLimit: number;
  /** Requests at work at once. */
  maxInFlight: number;
  /** Proxies before the service whose X-Forwarded-For is believed. */
  proxyHops: number;
  logLevel: LogLevel;
  /** Origins besides the service's own and loopback that browsers may call from. */
  allowedOrigins: readonly string[];
}

export interface Secrets {
  databaseUrl: string | undefined;
  bootstrapToken: string | undefined;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

interface Variable {
  name: string;
  fallback: string;
  meaning: string;
}

/** One line a variable: the README's table is made from this. */
export const variables: readonly Variable[] = [
  { name: 'KNEEBOARD_HOST', fallback: '127.0.0.1', meaning: 'Address to listen on.' },
  { name: 'KNEEBOARD_PORT', fallback: '8787', meaning: 'Port to listen on; 0 takes a free one.' },
  { name: 'KNEEBOARD_DATA', fallback: '.kneeboard', meaning: 'Folder of the embedded database.' },
  { name: 'DATABASE_URL', fallback: '', meaning: 'Postgres 15 or newer with pgvector 0.8 or newer; unset means the embedded database.' },
  { name: 'KNEEBOARD_MODEL', fallback: 'kneeboard/static-20k-512', meaning: 'Embedding model: an id below `models/` or a path to a model folder.' },
  { name: 'KNEEBOARD_PUBLIC_URL', fallback: '', meaning: 'Base address as clients see it, behind a proxy for example.' },
  { name: 'KNEEBOARD_RATE_LIMIT', fallback: '1200', meaning: 'Requests a minute and principal.' },
  {
    name: 'KNEEBOARD_GUESS_LIMIT',
    fallback: '60',
    meaning: 'Requests a minute and address without a good credential; beyond it such requests are refused unseen.',
  },
  { name: 'KNEEBOARD_MAX_IN_FLIGHT', fallback: '512', meaning: 'Requests at work at once; beyond it clients are asked to come again.' },
  { name: 'KNEEBOARD_PROXY_HOPS', fallback: '0', meaning: 'Proxies before the service that set X-Forwarded-For; 0 believes no such header.' },
  { name: 'KNEEBOARD_LOG_LEVEL', fallback: 'info', meaning: `One of ${logLevels.join(', ')}.` },
  {
    name: 'KNEEBOARD_ALLOWED_ORIGINS',
    fallback: '',
    meaning: 'Comma-separated browser origins allowed besides loopback, for example `https://console.example`.',
  },
  { name: 'KNEEBOARD_BOOTSTRAP_TOKEN', fallback: '', meaning: 'Owner token of an empty store, at least 24 characters; unset means: made and printed once.' },
];

const absoluteUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const environment = z.object({
  KNEEBOARD_HOST: z.string().min(1),
  KNEEBOARD_PORT: wholeNumber(0, 65_535),
  KNEEBOARD_DATA: z.string().min(1),
  DATABASE_URL: z.union([z.literal(''), z.string().regex(/^postgres(ql)?:\/\//, { error: 'must start with postgres:// or postgresql://' })]),
  KNEEBOARD_MODEL: z.string().min(1),
  KNEEBOARD_PUBLIC_URL: z.union([z.literal(''), absoluteUrl]),
  KNEEBOARD_RATE_LIMIT: wholeNumber(1, 10_000_000),
  KNEEBOARD_GUESS_LIMIT: wholeNumber(1, 10_000_000),
  KNEEBOARD_MAX_IN_FLIGHT: wholeNumber(1, 1_000_000),
  KNEEBOARD_PROXY_HOPS: wholeNumber(0, 10),
  KNEEBOARD_LOG_LEVEL: z.enum(logLevels),
  KNEEBOARD_ALLOWED_ORIGINS: z.string(),
  KNEEBOARD_BOOTSTRAP_TOKEN: z.union([
    z.literal(''),
    z.string().regex(/^[A-Za-z0-9._~+/=-]{24,200}$/, { error: 'must be 24 to 200 characters of A-Z a-z 0-9 . _ ~ + / = -' }),
  ]),
});

/** A variable holds what cannot be used; the message names it. */
export class ConfigError extends Refusal {
  override readonly name = 'ConfigError';
}

/** Reads the environment. @throws ConfigError that names the variable; the value of a secret is never shown. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): { config: Config; secrets: Secrets } {
  const given = Object.fromEntries(variables.map(({ name, fallback }) => [name, env[name]?.trim() || fallback]));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${String(issue?.path[0])}: ${describe(issue)}`);
  }
  const value = parsed.data;
  return {
    config: {
      host: value.KNEEBOARD_HOST,
      port: Number(value.KNEEBOARD_PORT),
      dataDir: value.KNEEBOARD_DATA,
      model: value.KNEEBOARD_MODEL,
      publicUrl: value.KNEEBOARD_PUBLIC_URL.replace(/\/+$/, '') || undefined,
      rateLimit: Number(value.KNEEBOARD_RATE_LIMIT),
      guessLimit: Number(value.KNEEBOARD_GUESS_LIMIT),
      maxInFlight: Number(value.KNEEBOARD_MAX_IN_FLIGHT),
      proxyHops: Number(value.KNEEBOARD_PROXY_HOPS),
      logLevel: value.KNEEBOARD_LOG_LEVEL,
      allowedOrigins: value.KNEEBOARD_ALLOWED_ORIGINS.split(',')
        .map(parseOrigin)
        .filter((origin) => origin !== ''),
    },
    secrets: { databaseUrl: value.DATABASE_URL || undefined, bootstrapToken: value.KNEEBOARD_BOOTSTRAP_TOKEN || undefined },
  };
}

function wholeNumber(least: number, most: number) {
  return z.string().refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
    error: `must be a whole number from ${least} to ${most}`,
  });
}

function parseOrigin(text: string): string {
  const origin = text.trim();
  if (origin === '') return '';
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new ConfigError(`KNEEBOARD_ALLOWED_ORIGINS: "${origin}" is not an origin such as https://console.example`);
  }
  return origin;
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_union') return issue.errors.flat().at(-1)?.message ?? issue.message;
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  return issue?.message ?? 'cannot be read';
}
