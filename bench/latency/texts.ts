import type { Kind } from '../../src/memory/memory.ts';
import type { Random } from '../random.ts';

/** Texts such as agents of a software company leave behind: made up, but with the lengths, the repeated words and the rare identifiers of real ones. */

const nouns = words(`account address alert archive audit balance batch billing booking bucket cache calendar catalog channel checkout client cluster connector
  consent container contract counter coupon courier currency customer dashboard deployment device digest discount document domain draft endpoint entitlement envelope
  event exporter feature feed fixture gateway grant handler header importer index ingest inventory invoice job journal key label ledger lease limit listener locker
  mailer manifest membership merge message meter migration mirror monitor notifier order outbox owner parcel partition payment payout permission pipeline planner
  policy pool portal price printer profile projection prompt proxy queue quota range receipt reconciler record refund registry reminder renderer replica report
  request reservation resolver retry rollout route rule sandbox schedule schema scheduler secret segment session settlement shard shipment signature snapshot stream
  subscription supplier sweep sync tariff template tenant thread ticket timer token tracker transfer trigger upload usage vault vendor version voucher wallet
  warehouse webhook widget window worker`);
const verbs =
  words(`acquire append apply archive assign attach batch build cancel capture charge check claim clean close collect commit compare compress confirm
  convert copy count create debit decode delay deliver detach drain drop emit encode enqueue expire export extend fetch filter flush format forward freeze group hash
  hold import index insert join leave list load lock lookup map mark match measure merge migrate move normalize notify open parse patch pause persist pick ping plan
  poll post price prune publish pull purge push queue read rebuild reconcile record refresh register reject release reload remove rename render replay report
  request reserve reset resolve restore resume retry revoke rotate route run scan schedule seal seed select send serve settle shift sign skip sort split start stop
  store stream submit sum swap sweep sync tag track transfer trim unlock update upload validate verify wait warm watch write`);
const adjectives =
  words(`active archived blocked broken busy cached cold daily duplicate early empty expired external failed final frozen hidden hourly idle inactive
  internal invalid late legacy local locked manual missing monthly nested new nightly old open orphaned partial pending primary private public quarterly queued recent
  regional remote rejected scheduled secondary shared signed silent slow stale static stuck temporary unpaid unused upstream verified weekly`);
const people = words(
  'Amara Bao Carla Deniz Elif Farid Greta Hiro Ines Jonas Kofi Lena Marek Nadia Oskar Priya Quentin Rosa Sven Tomas Uma Viktor Wanda Xenia Yusuf Zofia',
);
const tools = words(
  'npm pnpm docker kubectl terraform helm make psql redis-cli grpcurl playwright vitest pytest cargo gradle eslint biome git gh jq curl rsync',
);
const places = ['production', 'staging', 'the preview environment', 'CI', 'the local stack', 'the EU region', 'the US region', 'the nightly job'];
const extensions = ['ts', 'ts', 'tsx', 'go', 'py', 'sql', 'yaml', 'md', 'sh'];

type Slot = (random: Random) => string;

const noun: Slot = (random) => skewed(random, nouns);
const verb: Slot = (random) => skewed(random, verbs);
const functionName: Slot = (random) => (random.chance(0.6) ? camel(verb(random), noun(random), noun(random)) : [verb(random), noun(random)].join('_'));
const path: Slot = (random) => `src/${noun(random)}/${noun(random)}-${noun(random)}.${random.pick(extensions)}`;
const errorCode: Slot = (random) => `${random.pick(['ERR', 'E', 'KB', 'HX'])}_${1000 + random.below(9000)}`;

const slots: Record<string, Slot> = {
  noun,
  verb,
  adj: (random) => skewed(random, adjectives),
  fn: functionName,
  path,
  err: errorCode,
  type: (random) => capital(noun(random)) + capital(noun(random)),
  person: (random) => random.pick(people),
  tool: (random) => random.pick(tools),
  place: (random) => random.pick(places),
  n: (random) => String(1 + random.below(random.chance(0.7) ? 60 : 5000)),
  version: (random) => `v${random.below(9)}.${random.below(30)}.${random.below(12)}`,
  flag: (random) => `--${random.chance(0.4) ? 'no-' : ''}${verb(random)}-${noun(random)}`,
  env: (random) => `${noun(random)}_${noun(random)}_${random.pick(['url', 'limit', 'timeout', 'key'])}`.toUpperCase(),
  day: (random) => `2026-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`,
};

const sentences: readonly (readonly [Kind, readonly string[]])[] = [
  [
    'fact',
    [
      'The {noun} {noun} keeps at most {n} {adj} {noun}s per {noun}; beyond that `{fn}` throws {err}.',
      '`{path}` holds the {noun} logic, and `{fn}` is the only caller that may {verb} a {noun}.',
      '{env} defaults to {n} in {place} and to {n} everywhere else.',
      '{type} is serialised with {tool} {version}, which drops {adj} {noun}s without a warning.',
      'The {noun} service reads {adj} {noun}s from the {noun} replica, so a {noun} can lag by {n} seconds.',
    ],
  ],
  [
    'lesson',
    [
      'Running `{tool} {verb} {flag}` before the {noun} {noun} was {adj} left {n} {adj} {noun}s behind; check `{path}` first.',
      'We lost {n} minutes because `{fn}` swallowed {err}: the {noun} had been {adj} since {version}.',
      'Never trust the {adj} {noun} count in {place}: it is cached by the {noun} {noun} for {n} minutes.',
      'A {adj} {noun} made `{fn}` loop; the fix was to {verb} the {noun} before the {noun} is {adj}.',
    ],
  ],
  [
    'decision',
    [
      'On {day} we chose to {verb} {noun}s in the {noun} {noun} instead of {place}, since {adj} {noun}s took {n} ms there.',
      '{person} and {person} agreed to retire `{fn}` after {version}; `{path}` takes over the {adj} {noun}s.',
      'We keep the {noun} {noun} at {n} per {noun} until the {adj} {noun} has been measured in {place}.',
    ],
  ],
  [
    'procedure',
    [
      'To {verb} a {adj} {noun} in {place}: run `{tool} {verb} {flag}`, wait for the {noun} {noun}, then {verb} `{path}`.',
      'Release {noun} {noun}s with `{tool} run {verb}:{noun}`; {person} holds the {noun} key.',
      'When {err} appears, {verb} the {noun}, clear {env} and call `{fn}` again with {flag}.',
    ],
  ],
  [
    'policy',
    [
      'Never {verb} a {adj} {noun} in {place} without a {noun} from {person}.',
      'Ask for approval before you {verb} `{path}` or anything else that the {noun} {noun} depends on.',
      'Changes to `{path}` must come with a test that {verb}s a {adj} {noun}.',
      'Do not run `{tool} {verb} {flag}` against {place}.',
      'Always {verb} the {noun} before a {noun} {noun} is {adj}.',
    ],
  ],
  [
    'preference',
    [
      '{person} likes {noun} reports as a table with {n} rows at most.',
      '{person} wants every {adj} {noun} named in the pull request.',
      'The {noun} team prefers `{fn}` over {type} in new code.',
    ],
  ],
  ['event', ['{day}: the {noun} {noun} in {place} was {adj} for {n} minutes; {err} {n} times.', '{person} moved the {noun} {noun} to {version} on {day}.']],
  [
    'note',
    [
      'Look into why `{fn}` takes {n} ms for {adj} {noun}s.',
      'The {noun} {noun} might {verb} twice when {env} is {adj}.',
      '{person} asked whether {type} could {verb} the {adj} {noun} itself.',
    ],
  ],
];

const questions = [
  'how do we {verb} a {adj} {noun} in {place}?',
  'what does {err} mean?',
  'why is the {noun} {noun} {adj} after {version}?',
  'where do we {verb} {noun}s?',
  'what happens when {env} is not set',
  'who decided to {verb} the {noun} {noun} and why',
  'which limit applies to {adj} {noun}s in the {noun} service?',
  '{fn} fails with {err}',
  'does {person} want {noun} reports to list the {adj} {noun}s?',
  '{path}',
  'how long may a {noun} stay {adj} before the {noun} {noun} picks it up?',
  'before I {verb} the {noun}: is there anything I should know about {type} and the {adj} {noun}?',
];

export interface Text {
  kind: Kind;
  content: string;
}

const shares: Readonly<Record<Kind, number>> = { fact: 30, lesson: 14, decision: 12, procedure: 12, policy: 5, preference: 5, event: 10, note: 12 };

/** One to nine sentences, most often one to three; the first says what kind of memory it is. */
export function makeText(random: Random): Text {
  const [kind, openings] = random.weighted(sentences.map((entry) => [entry, shares[entry[0]]] as const));
  const more = Math.floor(-Math.log(1 - random.next()) * 1.6);
  const rest = Array.from({ length: Math.min(8, more) }, () => random.pick(random.pick(sentences.filter(([other]) => other !== 'policy'))[1]));
  return { kind, content: [random.pick(openings), ...rest].map((template) => fill(template, random)).join(' ') };
}

export function makeQuestion(random: Random): string {
  return fill(random.pick(questions), random);
}

export function makeAction(random: Random) {
  const [actionType, summary, command] = random.pick([
    ['shell.run', '{verb} the {adj} {noun}s in {place}', '{tool} {verb} {flag} {noun}'],
    ['code.patch.apply', 'Make {fn} {verb} {adj} {noun}s', undefined],
    ['git.push', 'Push the {noun} {noun} change for {person}', 'git push origin {noun}-{noun}'],
    ['deploy.start', 'Deploy {version} of the {noun} service to {place}', undefined],
    ['db.migrate', 'Add a {adj} column to {noun}_{noun}', '{tool} run migrate {flag}'],
  ] as const);
  return {
    action_type: actionType,
    summary: fill(summary, random),
    changed_files: Array.from({ length: random.below(5) }, () => path(random)),
    ...(command !== undefined && { command: fill(command, random) }),
  };
}

function fill(template: string, random: Random): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => slots[name]?.(random) ?? name);
}

/** Early words are far more frequent than late ones, as in any text: term frequencies decide what a lexical search costs. */
function skewed(random: Random, list: readonly string[]): string {
  return list[Math.floor(list.length * random.next() ** 2)] ?? '';
}

function camel(first: string, ...rest: readonly string[]): string {
  return first + rest.map(capital).join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
