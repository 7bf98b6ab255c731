import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { engines } from '../helpers/databases.ts';
import { bootstrapToken, runToEnd, startProcess } from '../helpers/process.ts';
import { sendRaw } from '../helpers/wire.ts';

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'kneeboard-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

for (const engine of engines) {
  describe.skipIf(engine.missing !== undefined)(`the process, on ${engine.name}${engine.missing === undefined ? '' : ` (skipped: ${engine.missing})`}`, () => {
    it('loses none of 1,000 acknowledged writes to kill -9', { timeout: 240_000 }, async () => {
      const created = engine.name === 'postgres' ? await engine.create(false) : undefined;
      const env = created?.url === undefined ? { KNEEBOARD_DATA: newFolder() } : { DATABASE_URL: created.url, KNEEBOARD_DATA: newFolder() };
      const first = await startProcess(env);
      let written = 0;
      const write = async () => {
        while (written < 1_000) {
          written += 1;
          const answer = await first.call('memory.remember', { content: `acknowledged fact number ${written}`, kind: 'fact' });
          expect(answer.status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 8 }, write));
      await first.end('SIGKILL');

      const second = await startProcess(env);
      const seen = new Set<string>();
      let cursor: string | undefined;
      do {
        const { json } = await second.call('memory.search', { limit: 100, ...(cursor !== undefined && { cursor }) });
        for (const hit of json.hits) seen.add(hit.content);
        cursor = json.next_cursor;
      } while (cursor !== undefined);
      expect(seen.size).toBe(1_000);
      expect(await second.end('SIGTERM')).toBe(0);
      await created?.dispose();
    });
  });
}

describe('the process', () => {
  it('prints its address, a token once and a curl line, and serves what it kept after a restart', { timeout: 120_000 }, async () => {
    const env = { KNEEBOARD_DATA: newFolder(), KNEEBOARD_BOOTSTRAP_TOKEN: '' };
    const first = await startProcess(env);
    const token = /kbt_default_[\w-]{43}/.exec(first.output())?.[0];
    expect(first.output()).toContain(`curl -s ${first.url}/v1/memory.search`);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: 'kept across restarts', kind: 'fact' });
    expect((await fetch(`${first.url}/v1/memory.remember`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await startProcess(env);
    expect(second.output()).not.toMatch(/kbt_default_/);
    const found = await fetch(`${second.url}/v1/memory.search`, { method: 'POST', headers, body: JSON.stringify({ query: 'kept across restarts' }) });
    expect(((await found.json()) as { hits: unknown[] }).hits).toHaveLength(1);
    await second.end('SIGTERM');
  });

  it('finishes what is in flight on SIGTERM, then stops', { timeout: 60_000 }, async () => {
    const running = await startProcess({ KNEEBOARD_DATA: newFolder() });
    const memories = Array.from({ length: 256 }, (_, n) => ({ content: `in flight ${n} ${'word '.repeat(60)}`, kind: 'fact' }));
    const answer = running.call('memory.remember', { memories });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const ended = running.end('SIGTERM');
    expect((await answer).json).toMatchObject({ accepted: 256 });
    expect(await ended).toBe(0);
    expect(running.output()).toContain('"stopped"');
  });

  it('refuses a data folder that another process has, in a sentence', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const running = await startProcess({ KNEEBOARD_DATA: folder });
    const { code, output } = await runToEnd(['serve'], { KNEEBOARD_DATA: folder, KNEEBOARD_PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain(folder);
    expect(output).toContain(String(running.child.pid));
    expect(output).not.toMatch(/\n\s+at /);
    await running.end('SIGTERM');
  });

  it('logs one line a request with its id, verb, principal, status and milliseconds, and no text or token', { timeout: 60_000 }, async () => {
    const running = await startProcess({ KNEEBOARD_DATA: newFolder() });
    const { headers } = await running.call('memory.remember', { content: 'confidential walrus', kind: 'fact' });
    await running.call('memory.search', { query: 'walrus' });
    await sendRaw(running, 'GARBAGE\r\n\r\n');
    await running.end('SIGTERM');
    const lines = running
      .output()
      .split('\n')
      .filter((line) => line.includes(headers.get('x-request-id') ?? 'none'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      verb: 'memory.remember',
      principal: expect.stringMatching(/^prn_/),
      status: 200,
      ms: expect.any(Number),
    });
    const logged = running
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
    expect(logged).not.toContain('walrus');
    expect(logged).not.toContain(bootstrapToken);
  });

  it.each([
    ['KNEEBOARD_PORT', '70000'],
    ['KNEEBOARD_RATE_LIMIT', 'many'],
    ['KNEEBOARD_LOG_LEVEL', 'loud'],
    ['KNEEBOARD_PUBLIC_URL', 'kneeboard.example'],
    ['DATABASE_URL', 'mysql://x'],
    ['KNEEBOARD_ALLOWED_ORIGINS', 'example.test/path'],
    ['KNEEBOARD_BOOTSTRAP_TOKEN', 'short'],
    ['KNEEBOARD_MODEL', 'no/such-model'],
  ])('refuses to start with a bad %s and names it or what it stands for', async (name, value) => {
    const { code, output } = await runToEnd(['serve'], { KNEEBOARD_DATA: newFolder(), KNEEBOARD_PORT: '0', [name]: value });
    expect(code).toBe(1);
    expect(output).toContain(name === 'KNEEBOARD_MODEL' ? value : name);
    expect(output).not.toMatch(/\n\s+at /);
  });
});

describe('the command line', () => {
  it('makes tenants, principals and tokens, lists and revokes them', { timeout: 120_000 }, async () => {
    const env = { KNEEBOARD_DATA: newFolder() };
    expect((await runToEnd(['tenant', 'create', 'acme'], env)).output).toMatch(/kbt_acme_[\w-]{43}/);
    const machine = await runToEnd(
      ['principal', 'enroll', 'ci', '--tenant', 'acme', '--machine', '--grant', 'read,write on repo:acme/*', 'read on org:acme'],
      env,
    );
    expect(machine.output).toMatch(/client_id acme\.prn_[0-9a-z]{26}\nclient_secret kbs_[\w-]{43}/);
    const issued = await runToEnd(['token', 'issue', 'ci', '--tenant', 'acme', '--label', 'nightly', '--days', '7'], env);
    expect(issued.output.trim()).toMatch(/^kbt_acme_[\w-]{43}$/);
    const listed = (await runToEnd(['token', 'list', '--tenant', 'acme'], env)).output;
    const credential = /^(crd_\w+)\tci\tnightly\tvalid/m.exec(listed)?.[1] ?? '';
    expect((await runToEnd(['token', 'revoke', credential, '--tenant', 'acme'], env)).output).toContain(`Revoked ${credential}`);
    for (const [args, expected] of [
      [['principal', 'enroll', 'x', '--tenant', 'nobody', '--grant', 'read on *'], /no tenant nobody/],
      [['principal', 'enroll', 'x', '--grant', 'fly on *'], /read,write,govern,approve on <scope>/],
    ] as const) {
      const { code, output } = await runToEnd(args, env);
      expect(code, output).toBe(1);
      expect(output).toMatch(expected);
    }
  });
});
