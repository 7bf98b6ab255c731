import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../src/auth/caller.ts';
import { listTools } from '../../src/envelope/mcp-tools.ts';
import { describeApi } from '../../src/envelope/openapi.ts';
import { operations } from '../../src/operations/index.ts';

describe('the table of operations', () => {
  it('holds the seven verbs, each under its own name and in a file of that name', () => {
    const names = operations.map(({ name }) => name);
    expect(names).toEqual(['memory.remember', 'memory.search', 'memory.get', 'memory.revise', 'memory.forget', 'preflight.action', 'preflight.report']);
    const files = readdirSync(new URL('../../src/operations/', import.meta.url)).filter((file) => file !== 'index.ts');
    expect(files.sort()).toEqual(names.map((name) => `${name}.ts`).sort());
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))('%s is declared in full', (_, operation) => {
    expect(operation.title).toMatch(/^[A-Z].{3,40}$/);
    expect(operation.summary.length).toBeGreaterThan(80);
    expect(operation.summary.length).toBeLessThan(600);
    expect(permissions).toContain(operation.permission);
    expect(operation.input.safeParse(operation.example).error).toBeUndefined();
    expect(operation.input.safeParse({ ...operation.example, surplus: 1 }).success).toBe(false);
    if (operation.effect !== 'read') expect(operation.audited).toBe(true);
    for (const field of Object.keys(operation.maxItems ?? {})) expect(Object.keys(operation.input.shape)).toContain(field);
  });

  it('tells whoever calls that returned text is evidence', () => {
    for (const name of ['memory.search', 'memory.get', 'preflight.action'])
      expect(operations.find((operation) => operation.name === name)?.summary).toMatch(/evidence/);
  });

  it('shows the surface that is checked in: tools/list', async () => {
    await expect(`${JSON.stringify(listTools(operations), null, 2)}\n`).toMatchFileSnapshot('../surface/tools-list.json');
  });

  it('shows the surface that is checked in: OpenAPI', async () => {
    await expect(`${JSON.stringify(describeApi(operations, 'http://127.0.0.1:8787', true), null, 2)}\n`).toMatchFileSnapshot('../surface/openapi.json');
  });
});
