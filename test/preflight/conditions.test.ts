import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/memory/memory.ts';
import { matchRule } from '../../src/preflight/conditions.ts';
import { anyAction, anyRule } from './arbitraries.ts';
import { actionOf, judgeRules } from './facts.ts';

const block = (when: Rule['when'], unless?: Rule['when']): Rule => ({ effect: 'block', when, ...(unless && { unless }) });
const push = block(
  { commands: ['git push --force*', 'git push * --force*'] },
  { commands: ['git push --force-with-lease*', 'git push * --force-with-lease*'] },
);

describe('a rule', () => {
  it('applies when every condition that it names is met', () => {
    const rule = block({ action_types: ['code.*'], paths: ['src/**'] });
    expect(matchRule(rule, actionOf({ type: 'code.patch', files: ['docs/a', './src\\b'] }))).toEqual({ action_type: 'code.patch', paths: ['src/b'] });
    expect(matchRule(rule, actionOf({ type: 'docs.edit', files: ['src/b'] }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ type: 'code.patch', files: ['docs/a'] }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ type: 'code.patch' }))).toBeUndefined();
  });

  it('never lets an exempt file excuse its neighbour', () => {
    const rule = block({ paths: ['**/.env*'] }, { paths: ['**/.env.example'] });
    expect(matchRule(rule, actionOf({ files: ['.env.example'] }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ files: ['.env.example', 'a/.env'] }))).toEqual({ paths: ['a/.env'] });
  });

  it('never lets an exempt command excuse its neighbour', () => {
    expect(matchRule(push, actionOf({ command: 'git push --force-with-lease origin a' }))).toBeUndefined();
    expect(matchRule(push, actionOf({ command: 'git push --force-with-lease && git push origin --force' }))).toEqual({ command: 'git push origin --force' });
  });

  it('is lifted as a whole by an exempt action type', () => {
    const rule = block({ paths: ['uv.lock'] }, { action_types: ['deps.security'] });
    expect(matchRule(rule, actionOf({ type: 'deps.security', files: ['uv.lock'] }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ type: 'deps.add', files: ['uv.lock'] }))).toBeDefined();
  });

  it('asks all conditions of one exception together', () => {
    const rule = block({ paths: ['uv.lock'] }, { action_types: ['deps.*'], commands: ['uv lock*'] });
    expect(matchRule(rule, actionOf({ type: 'deps.add', files: ['uv.lock'], command: 'uv lock' }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ type: 'deps.add', files: ['uv.lock'], command: 'uv lock; rm x' }))).toBeDefined();
    expect(matchRule(rule, actionOf({ type: 'code.patch', files: ['uv.lock'], command: 'uv lock' }))).toBeDefined();
  });

  it('takes paths with ! in front out of those it names', () => {
    const rule = block({ paths: ['vendor/**', '!vendor/patches/**'] });
    expect(matchRule(rule, actionOf({ files: ['vendor/a.c'] }))).toBeDefined();
    expect(matchRule(rule, actionOf({ files: ['vendor/patches/1.patch'] }))).toBeUndefined();
    expect(matchRule(block({ paths: ['!docs/**'] }), actionOf({ files: ['docs/a', 'src/a'] }))).toEqual({ paths: ['src/a'] });
  });

  it('finds the files of its repository under an absolute path', () => {
    const rule = block({ paths: ['db/migrate/**'] }, { paths: ['db/migrate/README.md'] });
    expect(matchRule(rule, actionOf({ files: ['/home/ada/atlas/db/migrate/1.rb'] }))).toBeDefined();
    expect(matchRule(rule, actionOf({ files: ['C:\\atlas\\db\\migrate\\README.md'] }))).toBeUndefined();
    expect(matchRule(rule, actionOf({ files: ['../atlas/db/migrate/1.rb'] }))).toBeUndefined();
  });

  it('excepts what is run in the end, and what is written besides only when that is excepted too', () => {
    const rule = block({ commands: ['*'] }, { commands: ['{ls,cat,env}*', '> /tmp/*'] });
    for (const command of ['ls', 'sudo ls -l', 'env', 'cat a | cat > /tmp/b', 'ls 2>/dev/null'])
      expect(matchRule(rule, actionOf({ command })), command).toBeUndefined();
    expect(matchRule(rule, actionOf({ command: 'env rm a' }))).toEqual({ command: 'rm a' });
    expect(matchRule(rule, actionOf({ command: 'ls > a' }))).toEqual({ command: '> a' });
    expect(matchRule(rule, actionOf({ command: 'cat $(rm a)' }))).toEqual({ command: 'rm a' });
  });

  it.each([
    ['git push origin main --force', true],
    ['git -C api push --force', true],
    ['sudo sh -c "git push --force"', true],
    ['git commit -m "git push --force"', false],
    ['git push -o "no --force here"', false],
    ['git push origin feature/--force', false],
    ['git push origin --force-with-lease', false],
  ])('is held against the parsed command: %s → %s', (command, applies) => {
    expect(matchRule(push, actionOf({ command })) !== undefined).toBe(applies);
  });

  it('still blocks after a file is added to those of the action', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule),
        anyAction.filter(({ files }) => files.length > 0),
        fc.string(),
        (rules, action, file) => {
          const before = judgeRules(
            action,
            rules.map((rule) => ({ rule })),
          );
          const after = judgeRules(
            { ...action, files: [...action.files, file] },
            rules.map((rule) => ({ rule })),
          );
          if (before === 'block') expect(after).toBe('block');
        },
      ),
    );
  });

  it('costs little, however many there are', () => {
    const rules = Array.from({ length: 1_000 }, (_, at) =>
      block(at % 2 === 0 ? { action_types: ['code.*'], paths: [`src/part${at}/**/*.ts`] } : { commands: [`tool${at} * --force*`] }),
    );
    const action = () => actionOf({ files: ['src/a.ts', 'docs/b.md'], command: 'git push origin main' });
    const run = () => {
      const fresh = action();
      const start = performance.now();
      for (const rule of rules) matchRule(rule, fresh);
      return performance.now() - start;
    };
    for (let warm = 0; warm < 20; warm += 1) run();
    expect(Math.min(...Array.from({ length: 20 }, run))).toBeLessThan(1);
  });
});
