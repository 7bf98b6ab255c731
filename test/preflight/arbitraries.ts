import fc from 'fast-check';
import { effects, type Rule } from '../../src/memory/memory.ts';
import type { Action } from '../../src/preflight/action.ts';

/** Rules and actions over few names, so that they meet often. */
const types = fc.constantFrom('code.patch', 'code.delete', 'git.push', 'db.restore');
const typePatterns = fc.constantFrom('code.*', 'code.patch', '*.push', 'db.restore', '*');
const files = fc.constantFrom('a/x.ts', 'a/b/x.ts', 'b/y.md', 'y.md', 'a/.env');
const paths = fc.constantFrom('a/**', 'a/b/**', '**/*.md', '**/x.ts', 'b/**');
const commands = fc.constantFrom('git push origin', 'git push --force', 'rm -rf a', 'rm b', 'ls a');
const commandGlobs = fc.constantFrom('git push*', 'git * --force*', 'rm *', 'rm -rf *', 'ls*');

const some = <T>(of: fc.Arbitrary<T>) => fc.uniqueArray(of, { minLength: 1, maxLength: 3 });

const conditions = fc
  .record({ action_types: some(typePatterns), paths: some(paths), commands: some(commandGlobs) }, { requiredKeys: [] })
  .filter((given) => Object.keys(given).length > 0);

export const anyRule: fc.Arbitrary<Rule> = fc.record(
  { effect: fc.constantFrom(...effects), when: conditions, unless: conditions },
  { requiredKeys: ['effect', 'when'] },
);

export const anyAction: fc.Arbitrary<Action> = fc.record({
  type: types,
  summary: fc.constant('Do it'),
  files: fc.uniqueArray(files, { maxLength: 4 }),
  scopeKey: fc.constant(null),
  command: fc.option(
    fc.array(commands, { minLength: 1, maxLength: 3 }).map((list) => list.join(' && ')),
    { nil: undefined },
  ),
});
