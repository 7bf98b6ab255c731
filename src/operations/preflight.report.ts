import { z } from 'zod';
import { can, requirePermission } from '../auth/grants.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { limits, memory } from '../memory/memory.ts';
import { defineOperation } from '../operation.ts';
import { refuseSecrets } from '../screening/secrets.ts';
import { prepare } from '../search/prepare.ts';
import type { ActionOutcome, Check, Report } from '../store/checks.ts';

/** How long a decision holds for its fingerprint. */
const decisionHours = 1;

const outcomes = ['approved', 'rejected', 'succeeded', 'failed', 'reverted', 'abandoned'] as const;
type Outcome = (typeof outcomes)[number];

const input = z.strictObject({
  check_id: z.string().min(1).max(100),
  outcome: z
    .enum(outcomes)
    .meta({ description: 'approved and rejected decide about the check (needs the approve grant); the others say what came of the action.' }),
  note: z.string().min(1).max(limits.reasonChars).optional(),
  lesson: z.string().min(1).max(limits.contentChars).optional().meta({ description: "Remembered as a lesson in the action's scope." }),
  useful: z.array(z.string().min(1).max(100)).max(100).optional().meta({ description: 'Ids of the cited memories that helped.' }),
});

export const preflightReport = defineOperation({
  name: 'preflight.report',
  title: 'Report on a check',
  summary:
    'Says what became of a checked action: a decision about it (approved, rejected) or its outcome (succeeded, failed, reverted, abandoned). An approval holds for the same action for an hour; ' +
    'a failure makes the next check of it warn until it succeeds. A contradicting report is a conflict.',
  permission: 'write',
  effect: 'write',
  idempotent: true,
  audited: true,
  input,
  output: z.object({ check_id: z.string(), outcome: z.enum(outcomes), memory: memory.optional(), expires_at: z.string().optional() }),
  example: { check_id: 'chk_00000000000000000000000000', outcome: 'succeeded' },

  async run({ check_id: checkId, outcome, note, lesson, useful }, context) {
    const known = await context.checks.find(checkId);
    // A check belongs to a scope; where the caller may not read, it does not exist.
    if (!known || !can(context.caller, 'read', known.scopeKey))
      throw new Failure('not_found', `There is no check ${checkId} that this credential may see.`, { field: 'check_id' });
    requirePermission(context.caller, 'write', known.scopeKey);
    if (isDecision(outcome)) requirePermission(context.caller, 'approve', known.scopeKey);
    // Which ones it cited is not told: the reporter may not be allowed to see them all.
    const foreign = useful?.find((id) => !known.cited.includes(id));
    if (foreign !== undefined) throw new Failure('validation', `\`useful\` names ${foreign}, which this check did not cite.`, { field: 'useful' });
    await refuseSecrets({ note, lesson });
    // Contradictions are found before a lesson is written, and once more under the lock.
    accept(known, outcome, context.now);
    const lessonNo = lesson === undefined ? undefined : await rememberLesson(lesson, known, context);
    const remembered = lessonNo === undefined ? undefined : (await context.ownWrites.load([lessonNo])).get(lessonNo);
    let expiresAt: Date | undefined;
    await context.checks.report(checkId, (check) => {
      const accepted = accept(check, outcome, context.now);
      expiresAt = accepted.decision?.expiresAt ?? (isDecision(outcome) ? (check.decisionExpiresAt ?? undefined) : undefined);
      return { ...accepted, note, useful, lessonId: remembered?.id };
    });
    return { check_id: checkId, outcome, ...(remembered && { memory: remembered }), ...(expiresAt && { expires_at: expiresAt.toISOString() }) };
  },
});

function isDecision(outcome: Outcome): outcome is 'approved' | 'rejected' {
  return outcome === 'approved' || outcome === 'rejected';
}

/** The change a report makes; none when it was reported before. @throws Failure `conflict` for a contradiction. */
function accept(check: Check, outcome: Outcome, now: Date): Pick<Report, 'decision' | 'outcome'> {
  if (isDecision(outcome)) {
    if (check.decision === outcome) return {};
    if (check.decision !== null) throw contradiction(`was ${check.decision} already`, { decision: check.decision });
    if (outcome === 'approved' && check.verdict === 'block') {
      throw contradiction('was blocked, and an approval lifts require_approval only; revise the policy instead', { verdict: check.verdict });
    }
    return { decision: { decision: outcome, expiresAt: new Date(now.getTime() + decisionHours * 3_600_000) } };
  }
  if (check.outcome === outcome) return {};
  if (check.outcome !== null && !follows(check.outcome, outcome)) throw contradiction(`has ${check.outcome} already`, { outcome: check.outcome });
  return { outcome };
}

/** What was done can still be taken back. */
function follows(before: ActionOutcome, after: ActionOutcome): boolean {
  return after === 'reverted' && (before === 'succeeded' || before === 'failed');
}

function contradiction(what: string, details: Record<string, unknown>): Failure {
  return new Failure('conflict', `The action ${what}.`, { field: 'outcome', details });
}

async function rememberLesson(text: string, check: Check, context: Context): Promise<number> {
  const [prepared] = await prepare(context.caller.tenantId, [{ content: text, scopeKey: check.scopeKey }], context.embedder);
  if (!prepared) throw new Error('no lesson');
  const [result] = await context.writer.remember([{ ...prepared, kind: 'lesson', scopeKey: check.scopeKey, tags: [], checkId: check.checkId }]);
  if (!result) throw new Error('no result');
  if (!result.ok) throw new Failure(result.failure.code, result.failure.message, { field: 'lesson', details: result.failure.details });
  return result.memoryNo;
}
