import { failureCodes } from '../../src/failure.ts';
import type { StartedService } from '../helpers/service.ts';
import { type Answer, type HeaderMap, send } from '../helpers/wire.ts';

const table = [200, 207, ...Object.values(failureCodes).map(({ status }) => status as number)];
/** Of the transport: what MCP's own rules add to the table. */
const mcpTable = [...table, 202, 405, 415];
const slowMs = 10_000;

/** Fires requests at one service and keeps what must never come back. */
export interface Attacker {
  /** One line for each answer that must not be. */
  offences: string[];
  /** How many inputs were tried, and how long the longest took. */
  tally(): { tried: number; slowestMs: number; slowest: string };
  /** `body` as it is when it is text, as JSON otherwise. */
  rest(verb: string, body: unknown, headers?: HeaderMap): Promise<Answer>;
  tool(name: string, body: unknown, headers?: HeaderMap): Promise<Answer>;
  fire(path: string, init: RequestInit & { headers?: HeaderMap }): Promise<Answer>;
  /** Judges an answer that was read off a socket. */
  judgeRaw(what: string, answer: string): void;
}

/** @param secrets texts of others that no answer may hold. */
export function createAttacker({ url }: Pick<StartedService, 'url'>, token: string, secrets: readonly string[]): Attacker {
  const offences: string[] = [];
  let tried = 0;
  let slowestMs = 0;
  let slowest = '';

  function judge(what: string, status: number, text: string, allowed: readonly number[], ms: number): void {
    tried += 1;
    if (ms > slowestMs) [slowestMs, slowest] = [Math.round(ms), what.slice(0, 200)];
    const blame = (why: string) => offences.push(`${why}: ${what.slice(0, 300)} → ${status} ${text.slice(0, 300)}`);
    if (!allowed.includes(status)) blame('status outside the table');
    if (/"code":"internal"|"server_error"/.test(text) || status === 500) blame('internal fault');
    if (secrets.some((secret) => text.includes(secret))) blame('echo of another tenant');
    if (/\bat .*\.[jt]s:\d+|SQLSTATE|syntax error at or near|node_modules|relation \\"/.test(text)) blame('inner text');
    if (ms > slowMs) blame(`${Math.round(ms)} ms`);
  }

  async function fire(path: string, init: RequestInit & { headers?: HeaderMap }): Promise<Answer> {
    const startedAt = performance.now();
    const answer = await send({ url }, path, { method: 'POST', ...init });
    const headers = JSON.stringify([...answer.headers]);
    const text = `${typeof answer.json === 'string' ? answer.json : JSON.stringify(answer.json)} ${headers}`;
    judge(
      `${path} ${String(init.body)} ${JSON.stringify(init.headers)}`,
      answer.status,
      text,
      path.startsWith('/v1') ? table : mcpTable,
      performance.now() - startedAt,
    );
    return answer;
  }

  const authorized = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
  return {
    offences,
    tally: () => ({ tried, slowestMs, slowest }),
    fire,
    rest: (verb, body, headers = {}) => fire(`/v1/${verb}`, { headers: { ...authorized, ...headers }, body: textOf(body) }),
    tool: (name, body, headers = {}) =>
      fire('/mcp', {
        headers: { ...authorized, ...headers },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${textOf(body)}}}`,
      }),
    judgeRaw(what, answer) {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      judge(what, status, answer, table, 0);
    },
  };
}

/** Runs tasks a few at a time. */
export async function inTurns<T>(items: readonly T[], task: (item: T, index: number) => Promise<unknown>, atOnce = 6): Promise<void> {
  const left = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of left) await task(item, index);
    }),
  );
}
