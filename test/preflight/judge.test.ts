import { describe, expect, it } from 'vitest';
import type { Precedents } from '../../src/preflight/judge.ts';
import { actionOf, judgeAll, memoryOf } from './facts.ts';

const push = actionOf({ type: 'git.push', summary: 'Push the fix', command: 'git push origin main' });
const of = (content: string, relevance = 0.4, kind: 'policy' | 'lesson' = 'policy') => ({ memory: memoryOf({ content, kind }), relevance });
const expiresAt = new Date('2026-11-18T11:00:00Z');
const decided = (decision: 'approved' | 'rejected'): Precedents => ({ decision: { decision, checkId: 'chk_1', principal: { name: 'Mira' }, expiresAt } });

describe('a judgement', () => {
  it('shows how a policy in words was read', () => {
    const policy = of('Never push to `main`.');
    expect(judgeAll(push, [policy])).toMatchObject({
      verdict: 'block',
      reasons: [
        {
          effect: 'block',
          code: 'policy_applies',
          message: 'Bears on this action; read as block: "Never".',
          citation: policy.memory.id,
          matched: { relevance: 0.4 },
        },
      ],
    });
  });

  it('names what is close to the action and why it does not bear on it', () => {
    const policy = of('Never push to `release`.');
    expect(judgeAll(push, [policy])).toMatchObject({
      verdict: 'allow',
      reasons: [
        { code: 'no_policy' },
        {
          effect: 'allow',
          code: 'considered',
          citation: policy.memory.id,
          message: 'Close to this action, but does not bear on it: the action does not name release.',
        },
      ],
    });
  });

  it('cites three at most of what does not bear on the action, and nothing far from it', () => {
    const close = Array.from({ length: 9 }, (_, at) => of(`Never push to \`release-${at}\`.`, 0.4 - at / 100));
    const { reasons } = judgeAll(push, [...close, of('Never delete invoices.', 0.05)]);
    expect(reasons.map(({ citation }) => citation)).toEqual([undefined, ...close.slice(0, 3).map(({ memory }) => memory.id)]);
    expect(judgeAll(push, [of('Never delete invoices.', 0.05)]).reasons).toMatchObject([{ code: 'no_policy' }]);
  });

  it('says when a policy permits the action', () => {
    expect(judgeAll(push, [of('Agents may push to `main`.')])).toMatchObject({
      verdict: 'allow',
      reasons: [{ effect: 'allow', code: 'policy_applies', message: 'Bears on this action; read as allow: "Agents may".' }],
    });
  });

  it('lets a lesson warn however it is worded', () => {
    expect(judgeAll(push, [of('Never push to `main`.', 0.9, 'lesson')])).toMatchObject({
      verdict: 'warn',
      reasons: [{ effect: 'warn', code: 'lesson_applies' }],
    });
  });

  it('puts rules that match before words of the same effect, and the severe before the mild', () => {
    const rule = memoryOf({ content: 'Hands off', rule: { effect: 'warn', when: { commands: ['git push*'] } } });
    const { reasons } = judgeAll(push, [of('Avoid pushing to `main`.', 0.9), { memory: rule, relevance: 0.1 }, of('Ask before you push to `main`.', 0.3)]);
    expect(reasons.map(({ effect, code }) => `${effect} ${code}`)).toEqual(['require_approval policy_applies', 'warn rule_matched', 'warn policy_applies']);
  });

  it('lifts what needs approval once it is approved, and nothing more severe', () => {
    const ask = of('Ask before you push to `main`.');
    expect(judgeAll(push, [ask], { precedents: decided('approved') })).toMatchObject({
      verdict: 'allow',
      reasons: [{ code: 'policy_applies' }, { code: 'approved' }],
    });
    expect(judgeAll(push, [ask, of('Never push to `main`.')], { precedents: decided('approved') }).verdict).toBe('block');
    expect(judgeAll(push, [], { precedents: decided('rejected') })).toMatchObject({
      verdict: 'block',
      reasons: [{ code: 'rejected', message: expect.stringContaining('Mira rejected') }],
    });
  });

  it.each([
    ['failed', 'warn'],
    ['reverted', 'warn'],
    ['succeeded', 'allow'],
  ])('after the same action %s says %s', (outcome, verdict) => {
    expect(judgeAll(push, [], { precedents: { outcome: { outcome, checkId: 'chk_1' } } }).verdict).toBe(verdict);
  });

  it('is never a silent allow while recall is degraded', () => {
    expect(judgeAll(push, [], { degraded: ['vector'] })).toMatchObject({ verdict: 'warn', reasons: [{ code: 'recall_degraded' }] });
  });
});
