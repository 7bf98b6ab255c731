import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compilePathGlob, normalizePath, toNormalPath } from '../../src/preflight/rules/path-globs.ts';

const matches = (glob: string, path: string) => compilePathGlob(glob).matches(toNormalPath(normalizePath(path)));

describe('a path', () => {
  it.each([
    ['./a/b', 'a/b'],
    ['a\\b\\c', 'a/b/c'],
    ['a//b/', 'a/b'],
    ['a/./b/../c', 'a/c'],
    ['../a', '../a'],
    ['a/../../b', '../b'],
    ['/a/../../b', '/b'],
    ['C:\\repo\\src\\x', 'C:/repo/src/x'],
    ['\\\\server\\share', '/server/share'],
    ['cafe\u0301', 'caf\u00e9'],
  ])('%j has one spelling, %j', (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });

  it('is normal once it has been normalised', () => {
    const part = fc.oneof(fc.constantFrom('.', '..', '', 'a', 'B', 'x y', 'C:', '~'), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom('/', '\\'), (parts, slash) => {
        const once = normalizePath(parts.join(slash));
        expect(normalizePath(once)).toBe(once);
      }),
    );
  });
});

describe('a path glob', () => {
  it.each([
    ['db/migrate/**', 'db/migrate/1.rb', true],
    ['db/migrate/**', 'docs/db/migrate/1.md', false],
    ['db/migrate/**', 'db/migrate', true],
    ['db/migrate/', 'db/migrate/a/b', true],
    ['src/encode/**', 'src/encode.md', false],
    ['**/.env.*', 'config/.env.local', true],
    ['**/.env', '.env', true],
    ['*.md', 'docs/a.md', false],
    ['src/**/*.test.ts', 'src/a.test.ts', true],
    ['src/{a,b/{c,d}}/*', 'src/b/d/x', true],
    ['src/{a,b/{c,d}}/*', 'src/b/x/d', false],
    ['pages/[slug]/x', 'pages/[slug]/x', true],
    ['pages/(app)/x', 'pages/(app)/x', true],
    ['[ab]?.txt', 'b1.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['\\*.txt', '*.txt', true],
    ['\\*.txt', 'a.txt', false],
    ['.\\db\\**', 'db/x', true],
    ['SRC/*.TS', 'src/a.ts', true],
    ['**', '../outside', false],
    ['**/x', '../x', false],
    ['../shared/**', '../shared/x', true],
    ['/etc/**', '/etc/passwd', true],
    ['etc/**', '/etc/passwd', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  it('agrees with picomatch, but for `a*/**`, which names `ab` here too, as `a/**` names `a` in both', () => {
    const name = fc.constantFrom('a', 'b', 'ab', '.a', 'a.b', 'aab');
    const globPart = fc.oneof(
      { weight: 3, arbitrary: name },
      fc.constantFrom('*', '**', 'a*', '*b', '*a*b', '?', '?b', '[ab]', '[^a]b', '{a,b}', '{a,.a}*', '.*'),
    );
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const glob = fc.array(globPart, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const decided = glob.filter((pattern) => !/[*}](?:\/\*\*)+$/.test(pattern));
    fc.assert(
      fc.property(decided, path, (pattern, file) => {
        expect(matches(pattern, file), `${pattern} and ${file}`).toBe(picomatch.isMatch(file, pattern, { dot: true, nocase: true }));
      }),
      { numRuns: 4_000 },
    );
  });

  it('costs no more than the product of the lengths', () => {
    const path = `${'a/'.repeat(499)}c`;
    const start = performance.now();
    for (const glob of ['**/a/**/a/**/a/**/b', `${'**/a/'.repeat(90)}b`, `${'*a'.repeat(200)}b`, '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}c']) {
      matches(glob, path);
      matches(glob, 'a'.repeat(1_000));
    }
    expect(performance.now() - start).toBeLessThan(500);
  });
});
