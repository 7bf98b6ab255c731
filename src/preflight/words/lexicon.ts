import { stemmer } from 'stemmer';

/**
 * What policies and actions talk about, in words that mean the same: a policy says "delete", an action says "drop". General English of
 * software work only; names of projects, products and people have no place here.
 */
const acts = {
  add: 'add introduce create insert append install include new adopt register extra',
  remove: 'remove replace delete drop erase purge wipe clear destroy discard prune rm rmdir unlink truncate uninstall rid empty free retire strip del',
  change: 'change edit modify alter update adjust touch rewrite patch amend tweak revise refactor reformat rework',
  rename: 'rename move mv relocate',
  upgrade: 'upgrade update bump raise downgrade',
  enable: 'enable activate unmute',
  disable: 'disable deactivate mute silence skip bypass suppress circumvent',
  send: 'send mail post message notify paste forward email tweet',
  publish: 'publish release ship',
  deploy: 'deploy rollout ship',
  push: 'push',
  overwrite: 'overwrite force force-push clobber',
  commit: 'commit',
  merge: 'merge land',
  upload: 'upload share export',
  download: 'download fetch pull wget curl',
  copy: 'copy paste cp scp rsync duplicate transfer',
  read: 'read compare diff look view show list inspect see cat less head tail grep rg find ls du display examine investigate study',
  print: 'print echo printf show display head tail cat',
  query: 'query psql mysql sqlite3 mongosh select',
  run: 'run execute start launch invoke trigger call',
  stop: 'stop halt shutdown kill terminate',
  restart: 'restart reboot',
  train: 'train tune finetune fit',
  evaluate: 'evaluate eval score',
  document: 'document describe explain draw sketch announce mention warn',
  log: 'log record',
  apply: 'apply',
  grant: 'grant give assign award',
  revoke: 'revoke withdraw',
  reach: 'reach access connect contact hit download ping ssh curl wget call',
  use: 'use load employ depend rely embed require',
  import: 'import ingest',
  close: 'close resolve',
  convert: 'convert rewrite replace migrate port',
  plan: 'plan',
  test: 'test',
  build: 'build compile',
  fix: 'fix repair correct',
  write: 'write author compose draft',
  leave: 'leave leak exfiltrate expose export upload copy scp send paste share publish',
  regenerate: 'regenerate generate',
  sign: 'sign',
  summarize: 'summarize summarise condense paraphrase shorten abridge',
} as const;

/** Acts that say nothing by themselves: almost every action changes, runs or uses something. */
const vagueActs = new Set<string>(['change', 'run', 'use', 'read', 'test', 'build', 'convert', 'print', 'plan', 'log', 'document']);
/** Acts that are the action: what is pushed is not thereby committed. */
const exclusiveActs = new Set<string>([
  'push',
  'commit',
  'merge',
  'deploy',
  'publish',
  'train',
  'evaluate',
  'restart',
  'plan',
  'apply',
  'close',
  'test',
  'build',
]);
/** Acts that looking at something may be, or include. */
const openActs = new Set<string>(['reach', 'use', 'run', 'download', 'import', 'test', 'build', 'log', 'ask']);
/** Acts that leave everything as it was. */
const harmlessActs = new Set<string>(['read', 'print', 'query', 'document', 'plan']);

const oppositeActs: Readonly<Record<string, readonly string[]>> = {
  add: ['remove'],
  remove: ['add'],
  enable: ['disable', 'remove'],
  disable: ['enable', 'add'],
  run: ['stop'],
  stop: ['run'],
  upload: ['download'],
  download: ['upload'],
  grant: ['revoke'],
  revoke: ['grant'],
};

const things = [
  'production prod live',
  'network internet online',
  'customer subscriber client visitor',
  'font typeface',
  'image picture screenshot photo',
  'dependency dependencies package library gem crate deps dep',
  'folder directory dir',
  'bug defect',
  'database db psql mysql postgres sqlite',
  'console shell repl prompt psql',
  'telemetry analytics tracker tracking',
  'repository repo',
  'configuration config setting',
  'documentation docs doc',
  'javascript js',
  'typescript ts',
  'python py',
  'environment env',
  'wrapper shim adapter',
  'colour color',
  'licence license',
  'limit maximum cap',
  'outside external foreign third-party thirdparty',
  'issue ticket',
  'pullrequest pr mr',
  'weight checkpoint',
  'data record',
  'parallel concurrent concurrently simultaneous processes workers threads',
  'test spec',
  'stylesheet css',
  'handler isr callback',
  'interrupt isr',
  'backup snapshot',
  'credential credentials login',
  'approval approve consent permission',
  'persistent pvc',
  'volume pvc',
  'claim pvc',
  'namespace ns',
  'vulnerability cve advisory',
  'folder path',
  'hook husky',
] as const;

/** Words of which one rules out the other within a phrase. */
const opposites: readonly (readonly [string, string])[] = [
  ['new another additional', 'existing already old'],
  ['real actual genuine', 'synthetic fake mock dummy simulated anonymised anonymized sample invented'],
  ['production prod live', 'staging local localhost sandbox development training simulator test'],
  ['public', 'private internal'],
  ['outside external third-party', 'ourselves internal own'],
  ['somebody someone anybody others else shared', 'nobody private'],
  ['short brief', 'long'],
  ['second', 'third'],
  ['manual manually hand', 'automatic automated'],
  ['parallel concurrent', 'sequential serial'],
  ['large big', 'small'],
  ['fixed constant', 'random'],
];

const particles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  switch: { on: 'enable', off: 'disable' },
  turn: { on: 'enable', off: 'disable' },
  shut: { off: 'disable', down: 'stop' },
  roll: { out: 'deploy' },
  tear: { down: 'remove' },
  throw: { away: 'remove' },
  take: { out: 'remove', away: 'remove' },
  leave: { out: 'remove' },
  set: { false: 'disable', off: 'disable', true: 'enable', on: 'enable' },
  give: { out: 'send' },
  stop: { supporting: 'remove', support: 'remove' },
  cut: { release: 'publish' },
};

const irregular: Readonly<Record<string, string>> = {
  sent: 'send',
  written: 'write',
  wrote: 'write',
  built: 'build',
  ran: 'run',
  taken: 'take',
  took: 'take',
  given: 'give',
  gave: 'give',
  broken: 'break',
  broke: 'break',
  kept: 'keep',
  left: 'leave',
  lost: 'lose',
  thrown: 'throw',
  held: 'hold',
  sold: 'sell',
  hidden: 'hide',
  hid: 'hide',
  put: 'put',
  cut: 'cut',
  drawn: 'draw',
  shown: 'show',
  known: 'know',
  found: 'find',
  told: 'tell',
  leaving: 'leave',
  important: 'important',
  generally: 'general',
};

/** The stem that words are compared by; one spelling for `e-mail`, `email` and `E-Mail`. */
export function stem(word: string): string {
  const plain = word
    .toLowerCase()
    .replace(/['’]s?$/, '')
    .replace(/[-_]/g, '');
  if (Object.hasOwn(irregular, plain)) return irregular[plain] as string;
  if (!/^[a-z]{3,}$/.test(plain)) return plain;
  // Porter makes `ad` of "adding" but leaves "add".
  return stemmer(plain)
    .replace(/(?<=[aeou])i$/, 'y')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1');
}

function index(groups: Iterable<readonly [string, string]>): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const [name, words] of groups) {
    for (const word of words.split(' ')) {
      const key = stem(word);
      const names = map.get(key);
      if (names) names.push(name);
      else map.set(key, [name]);
    }
  }
  return map;
}

const actsByStem = index(Object.entries(acts));
const thingsByStem = index(things.map((words, at) => [`~${at}`, words] as const));
const oppositesByStem = index(opposites.flatMap(([left, right], at) => [[`${at}<`, left] as const, [`${at}>`, right] as const]));

/** The acts that a word may name. */
export function actsOf(wordStem: string): readonly string[] {
  return actsByStem.get(wordStem) ?? [];
}

/** What a phrasal verb such as "switch off" does. */
export function phrasalAct(verb: string, particle: string): string | undefined {
  return particles[verb]?.[particle];
}

/** The word itself and the groups of words it belongs to. */
export function conceptsOf(wordStem: string): readonly string[] {
  return [wordStem, ...(thingsByStem.get(wordStem) ?? []), ...(actsByStem.get(wordStem) ?? []).map((act) => `!${act}`)];
}

/** Whether some word of the action rules the policy's word out. */
export function ruledOut(wordStem: string, others: ReadonlySet<string>): boolean {
  const sides = oppositesByStem.get(wordStem);
  if (!sides) return false;
  return sides.some((side) => {
    const other = side.endsWith('<') ? side.replace('<', '>') : side.replace('>', '<');
    for (const candidate of others) if (oppositesByStem.get(candidate)?.includes(other)) return true;
    return false;
  });
}

/** Whether a word is one of those that rule each other out: it qualifies, and is not itself what a policy is about. */
export function isQualifier(wordStem: string): boolean {
  return oppositesByStem.has(wordStem);
}

export function isLexiconAct(act: string): boolean {
  return Object.hasOwn(acts, act);
}

export function isVagueAct(act: string): boolean {
  return vagueActs.has(act);
}

export function isExclusiveAct(act: string): boolean {
  return exclusiveActs.has(act);
}

export function isHarmlessAct(act: string): boolean {
  return harmlessActs.has(act);
}

/** Whether an act changes what it is done to, so that who only looks does not do it. */
export function isChangingAct(act: string): boolean {
  return isLexiconAct(act) && !harmlessActs.has(act) && !openActs.has(act);
}

export function opposeActs(one: string, other: string): boolean {
  return oppositeActs[one]?.includes(other) ?? false;
}

const stopWords = new Set(
  `a an the and or nor but of to in into on onto at by for from with within without under over above below between before after as is are was were be been being am
  it its this that these those there their they them he she his her we us our you your i me my who whom whose which what when while where how why if then than so such
  not no never do does did done don't has have had having will would can could may might must shall should need needs needed only also just even yet again too very
  any anything anyone anybody every everything each all some something somebody someone nobody nothing none other others else own same both either neither
  via per about against through during until till since because like up down out off here now still ever always please well way case cases thing things
  first make makes made making get gets got let lets go goes keep keeps put puts take takes come comes want say says allowed permitted forbidden prohibited required mandatory kind kinds sort due etc`.split(
    /\s+/,
  ),
);

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/** Words that occur in any policy and any action. */
const paleStems = new Set(
  'file agent code project repository line agent user change use run new work part set request step page value name item function update make thing time way own'
    .split(' ')
    .map(stem),
);

export function isPale(wordStem: string): boolean {
  return paleStems.has(wordStem);
}
