import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variables } from '../src/config.ts';
import { operations } from '../src/operations/index.ts';

/** The README's tables are made from the code. `KNEEBOARD_WRITE_README=1 npm test -- test/readme.test.ts` writes them anew. */
const path = new URL('../README.md', import.meta.url);

const verbs = [
  '| verb | does | needs | effect |',
  '|---|---|---|---|',
  ...operations.map(
    ({ name, summary, permission, effect, idempotent }) =>
      `| \`${name}\` | ${firstSentence(summary)} | \`${permission}\` | ${effect}${idempotent ? ', idempotent' : ''} |`,
  ),
];

const configuration = [
  '| variable | default | meaning |',
  '|---|---|---|',
  ...variables.map(({ name, fallback, meaning }) => `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${meaning} |`),
];

it.each([
  ['verbs', verbs],
  ['configuration', configuration],
])('the README shows the %s as they are', (name, lines) => {
  const readme = readFileSync(path, 'utf8');
  const expected = readme.replace(new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`), () => [`<!-- ${name} -->`, ...lines, `<!-- /${name} -->`].join('\n'));
  if (process.env.KNEEBOARD_WRITE_README === '1') writeFileSync(path, expected);
  else expect(readme).toBe(expected);
});

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}
