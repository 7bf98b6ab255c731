import { describe, expect, it } from 'vitest';
import { read } from '../../src/preflight/words/reading.ts';

const readAs = (content: string) => read(content).norms.map(({ force, effect, cue }) => `${force} ${effect}${cue === undefined ? '' : ` "${cue}"`}`);

describe('a policy in plain words is read by its cue', () => {
  it.each([
    // RFC 2119
    ['Clients MUST NOT cache tokens.', ['forbid block "MUST NOT"']],
    ['Servers SHALL NOT log bodies.', ['forbid block "SHALL NOT"']],
    ['Handlers SHOULD NOT block.', ['discourage warn "SHOULD NOT"']],
    ['Releases MUST carry a change log entry.', ['oblige warn "MUST"']],
    ['Names SHOULD be short.', ['oblige warn "SHOULD"']],
    ['Scripts MAY use Python.', ['permit allow "MAY"']],
    // everyday words
    ['Never touch the billing tables.', ['forbid block "Never"']],
    ["Don't rename public fields.", ['forbid block "Don\'t"']],
    ['Direct writes to the ledger are forbidden.', ['forbid block "are forbidden"']],
    ['Global state is not allowed here.', ['forbid block "is not allowed"']],
    ['No telemetry in the core package.', ['forbid block "No"']],
    ['Nothing is deployed on Fridays.', ['forbid block "Nothing is"']],
    ['Only the release team changes `version.txt`.', ['forbid block "Only the release"']],
    ['Avoid deep inheritance.', ['discourage warn "Avoid"']],
    ['Prefer composition.', ['oblige warn "Prefer"']],
    ['Always run the linter.', ['oblige warn "Always"']],
    // consent
    ['Ask Mira before you change the pricing table.', ['ask require_approval "Ask"']],
    ['Schema changes need approval from the data team.', ['ask require_approval "need approval"']],
    ['Never deploy without the sign-off of operations.', ['ask require_approval "without the sign-off"']],
    ['Confirm with legal before adding a licence.', ['ask require_approval "Confirm with"']],
    ['Do not delete user data unless the owner has given explicit consent.', ['ask require_approval "unless the owner has given explicit consent"']],
    // what looks like another one
    ['You do not have to ask before fixing typos.', ['permit allow "do not have to ask"']],
    ['Do not hesitate to open small pull requests.', ['permit allow "Do not hesitate to"']],
    ['Feel free to refactor tests.', ['permit allow "Feel free to"']],
    ['Documentation changes are exempt.', ['permit allow "are exempt"']],
    ['Do not forget to update the index.', ['oblige warn "Do not forget to"']],
    ['Merges must not happen with fewer than two approvals.', ['forbid block "must not"']],
    ['CI never runs this file.', ['state warn']],
    ['Requests that do not meet the bar are closed.', ['state warn']],
    ['The word "never" occurs in the manual.', ['state warn']],
  ])('%s', (content, expected) => {
    expect(readAs(content)).toEqual(expected);
  });

  it('lends a heading to the bullets below it', () => {
    expect(readAs('## Never\n\n- force-push to `main`\n- delete tags')).toEqual(['forbid block "Never"', 'forbid block "Never"']);
    expect(readAs('Ask first:\n- a new dependency')).toEqual(['ask require_approval "Ask first"']);
    expect(readAs('## Style\n\n- Tabs, not spaces')).toEqual(['state warn']);
    expect(readAs('## Never\n\n- You may skip the changelog')).toEqual(['permit allow "You may"']);
  });

  it('cuts a sentence where a new order begins', () => {
    expect(readAs('Agents may push to feature branches, but never to `main`.')).toEqual(['permit allow "Agents may"', 'forbid block "never"']);
    expect(readAs('Use the client, never raw SQL; ask before adding an index.')).toContain('forbid block "never"');
  });

  it('keeps exceptions, provisos and bounds apart from what it is about', () => {
    const [norm] = read('Never edit `gen/` unless the generator is broken.').norms;
    expect(norm?.exceptions.map(({ text }) => text)).toEqual(['the generator is broken.']);
    expect(norm?.names).toEqual(['gen/']);
    expect(read('The camera must not be started without a visible sign.').norms[0]?.provisos.map(({ text }) => text)).toEqual(['a visible sign.']);
    expect(read('Queries of more than 500 rows need approval.').norms[0]?.limits).toMatchObject([{ is: 'above', value: 500 }]);
  });

  it('reads any text in little time', () => {
    const start = performance.now();
    for (const text of [
      'never '.repeat(5_000),
      '('.repeat(30_000),
      '`'.repeat(30_000),
      'a-'.repeat(15_000),
      `${'unless '.repeat(4_000)}x`,
      `needs ${'very '.repeat(6_000)}approval`,
      '- '.repeat(15_000),
      `only ${'a '.repeat(15_000)}`,
    ])
      read(text);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
