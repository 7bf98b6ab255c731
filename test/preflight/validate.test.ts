import { describe, expect, it } from 'vitest';
import type { Conditions } from '../../src/memory/memory.ts';
import { validateRule } from '../../src/preflight/validate.ts';

const fieldOf = (when: Conditions, unless?: Conditions) => validateRule({ effect: 'block', when, ...(unless && { unless }) })?.field;

describe('a rule that can never apply is refused', () => {
  it.each<[string, Conditions, Conditions | undefined, string]>([
    ['an action type with a space', { action_types: ['code.*', 'git push'] }, undefined, 'rule.when.action_types.1'],
    ['an empty part of an action type', { action_types: ['code..patch'] }, undefined, 'rule.when.action_types.0'],
    ['a path with white space around it', { paths: [' src/**'] }, undefined, 'rule.when.paths.0'],
    ['a path with dots inside', { paths: ['src/../db/**'] }, undefined, 'rule.when.paths.0'],
    ['nothing but dots', { paths: ['./'] }, undefined, 'rule.when.paths.0'],
    ['an extended glob', { paths: ['src/@(a|b)/**'] }, undefined, 'rule.when.paths.0'],
    ['mixed separators', { paths: ['src/a\\b'] }, undefined, 'rule.when.paths.0'],
    ['braces without end', { paths: ['{a,b}'.repeat(20)] }, undefined, 'rule.when.paths.0'],
    ['paths that exclude themselves', { paths: ['src/**', '!src/**'] }, undefined, 'rule.when.paths'],
    ['a list of commands in one glob', { commands: ['git add * && git commit*'] }, undefined, 'rule.when.commands.0'],
    ['a pipe', { commands: ['cat x | sort'] }, undefined, 'rule.when.commands.0'],
    ['too many braces', { commands: ['{a,b}'.repeat(12)] }, undefined, 'rule.when.commands.0'],
    ['only white space', { commands: [' '] }, undefined, 'rule.when.commands.0'],
    ['a fault in the exception', { paths: ['a'] }, { commands: ['a; b'] }, 'rule.unless.commands.0'],
    ['an exception equal to the condition', { paths: ['a/**', 'b'] }, { paths: ['b', 'a/**'] }, 'rule.unless'],
    ['a wider exception', { commands: ['git push --force*'] }, { commands: ['git *'] }, 'rule.unless'],
    ['an exception of everything', { action_types: ['code.patch'], paths: ['a'] }, { action_types: ['code.*'] }, 'rule.unless'],
  ])('%s', (_, when, unless, field) => {
    expect(fieldOf(when, unless)).toBe(field);
  });

  it('with the place in a batch', () => {
    expect(validateRule({ effect: 'warn', when: { action_types: ['a b'] } }, 'memories.3.rule')?.field).toBe('memories.3.rule.when.action_types.0');
  });
});

describe('a rule that can apply is accepted', () => {
  it.each<[Conditions, Conditions | undefined]>([
    [{ action_types: ['*', 'code.*', 'cluster.node-1.*'] }, undefined],
    [{ paths: ['**/.env.*', 'pages/[slug]/(app)/**', 'src/{a,b}/', '.\\src\\**', '../shared/**', '/etc/**', '!docs/**', 'a b/c'] }, undefined],
    [
      {
        commands: [
          'curl * | {sh,bash}*',
          'wget * | sudo sh',
          'git {push,fetch} * --force*',
          'find * -exec rm * ;',
          "psql * -c 'drop table *; *'",
          'HUSKY=0 git commit*',
          '* > /dev/sd*',
        ],
      },
      undefined,
    ],
    [{ commands: ['rm *'] }, { commands: ['rm -i *'] }],
    [{ action_types: ['code.*'] }, { paths: ['docs/**'] }],
    [{ paths: ['a/**'] }, { action_types: ['docs.*'], paths: ['a/**'] }],
  ])('%j unless %j', (when, unless) => {
    expect(fieldOf(when, unless)).toBeUndefined();
  });
});
