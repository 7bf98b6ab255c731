import { expect, it } from 'vitest';
import { fingerprint } from '../../src/preflight/action.ts';
import { actionOf } from './facts.ts';

const action = actionOf({ type: 'shell.run', files: ['a', 'b/c'], scopeKey: 'repo:acme/api', command: 'rm "a  b"' });
const print = fingerprint(action);

it.each([
  ['another summary', { summary: 'Worded anew' }],
  ['files in another order, spelling and number', { files: ['./b\\c', 'a', 'b/../a'] }],
  ['white space around the command', { command: ' rm "a  b"\n' }],
])('an approval survives %s', (_, change) => {
  expect(fingerprint({ ...action, ...change })).toBe(print);
});

it.each([
  ['type', { type: 'shell.exec' }],
  ['file', { files: ['a', 'b/c', 'd'] }],
  ['scope', { scopeKey: 'repo:acme/web' }],
  ['command', { command: 'rm "a b"' }],
  ['line end in the command', { command: 'rm\n"a  b"' }],
  ['missing command', { command: undefined }],
])('an approval does not cover another %s', (_, change) => {
  expect(fingerprint({ ...action, ...change })).not.toBe(print);
});
