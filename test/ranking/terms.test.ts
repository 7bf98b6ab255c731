import { describe, expect, it } from 'vitest';
import { analyze, analyzeQuery } from '../../src/ranking/terms.ts';

const termsOf = (text: string) => [...analyze(text).terms.keys()];
const queryTermsOf = (text: string) => analyzeQuery(text).map(({ term }) => term);

/** Whether a search for the query would touch the document at all. */
function shares(query: string, document: string): boolean {
  const { terms } = analyze(document);
  return queryTermsOf(query).some((term) => terms.has(term));
}

describe('identifiers', () => {
  it.each([
    ['parse_config', 'config'],
    ['parseConfig', 'config'],
    ['src/db/pool.ts', 'pool'],
    ['src/db/pool.ts', 'pool.ts'],
    ['src\\db\\pool.ts', 'src/db/pool.ts'],
    ['--no-verify', 'verify'],
    ['v2.3.1', 'v2.3.1'],
    ['ERR_1042', '1042'],
    ['HTTPServer', 'server'],
    ['std::vector', 'vector'],
  ])('%s is found by %s', (document, query) => {
    expect(shares(query, document)).toBe(true);
  });

  it.each([
    ['parse_config', 'parseConfig'],
    ['parse-config', 'parse_config'],
    ['ERR_1042', 'err1042'],
    ['--dry-run', 'dryRun'],
  ])('%s and %s have the same whole form', (one, other) => {
    const whole = termsOf(one).at(-1);
    expect(termsOf(other)).toContain(whole);
  });

  it('a path is kept whole beside its parts', () => {
    expect(termsOf('src/db/pool.ts')).toEqual(expect.arrayContaining(['src', 'db', 'pool', 'ts', 'pool.ts', 'src/db/pool.ts']));
  });

  it('plural acronyms are one word', () => {
    expect(termsOf('URLs IDs')).toEqual(['url', 'id']);
  });

  it('whole forms do not make a document longer', () => {
    expect(analyze('parse_config in src/db/pool.ts').length).toBe(analyze('parse config src db pool ts').length);
  });
});

describe('languages', () => {
  it('English words are found in another form', () => {
    expect(shares('deployments', 'we deploy on Friday')).toBe(true);
  });

  it('a word with an accent keeps its ending', () => {
    expect(termsOf('décisions')).toEqual(['décisions']);
  });

  it('Chinese is indexed by pairs of characters and Latin words inside it by themselves', () => {
    expect(termsOf('使用Python语言处理')).toEqual(['使用', 'python', '语言', '言处', '处理']);
  });

  it('full-width and ligature forms equal the plain ones', () => {
    expect(termsOf('ＡＢＣ ﬁle')).toEqual(termsOf('abc file'));
  });
});

describe('dates', () => {
  const may = new Date('2023-05-08T13:56:00Z');

  it('a memory is found by the day it happened', () => {
    const { terms } = analyze('Went to the support group', may);
    expect(queryTermsOf('What was on 8 May 2023?').filter((term) => terms.has(term))).toEqual(expect.arrayContaining(['8', 'may', '2023']));
  });

  it('the day does not make it longer', () => {
    expect(analyze('support group', may).length).toBe(2);
  });
});

describe('weights of a query', () => {
  const weightOf = (query: string, term: string) => analyzeQuery(query).find((entry) => entry.term === term)?.weight ?? 0;

  it('how it is asked weighs less than what is asked for', () => {
    expect(weightOf('how did we deploy', 'how')).toBeLessThan(weightOf('how did we deploy', 'we'));
    expect(weightOf('how did we deploy', 'we')).toBeLessThan(weightOf('how did we deploy', 'deploy'));
  });

  it('Spanish function words weigh less than Spanish content words', () => {
    expect(weightOf('¿Cuándo se firmó el tratado?', 'cuándo')).toBeLessThan(weightOf('¿Cuándo se firmó el tratado?', 'tratado'));
  });

  it('a word said twice weighs more, but not twice as much', () => {
    const once = weightOf('pool', 'pool');
    const twice = weightOf('pool pool', 'pool');
    expect(twice).toBeGreaterThan(once);
    expect(twice).toBeLessThan(2 * once);
  });

  it('a whole identifier weighs less than its parts together', () => {
    expect(weightOf('parseConfig', 'parseconfig')).toBeLessThan(weightOf('parseConfig', 'pars') + weightOf('parseConfig', 'config'));
  });
});

describe('bounds', () => {
  it.each([
    ['letters', 'a'.repeat(1e6)],
    ['dotted letters', 'a.'.repeat(5e5)],
    ['dashes', '-'.repeat(1e6)],
    ['humps', 'aB'.repeat(5e5)],
    ['Chinese', '漢字'.repeat(5e5)],
    ['distinct words', Array.from({ length: 1.5e5 }, (_, index) => `w${index}`).join('.')],
  ])(
    'a megabyte of %s is analysed in seconds and yields few terms',
    (_, text) => {
      const start = performance.now();
      const { terms } = analyze(text);
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(terms.size).toBeLessThanOrEqual(8192);
      expect([...terms.keys()].every((term) => term.length <= 128)).toBe(true);
    },
    20_000,
  );

  it('a pasted log yields a bounded number of distinct query terms', () => {
    const log = Array.from({ length: 5000 }, (_, index) => `entry${index}`).join(' ');
    const terms = queryTermsOf(log);
    expect(terms.length).toBeLessThanOrEqual(64);
    expect(new Set(terms).size).toBe(terms.length);
  });

  it('a text without words has no terms and no length', () => {
    expect(analyze(' …!? ')).toEqual({ terms: new Map(), length: 0 });
  });
});
