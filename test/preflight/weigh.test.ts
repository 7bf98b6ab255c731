import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/memory/memory.ts';
import type { Action } from '../../src/preflight/action.ts';
import { actionOf, judgeAll, memoryOf } from './facts.ts';

const verdict = (content: string, action: Partial<Action>, relevance = 0.3) =>
  judgeAll(actionOf(action), [{ memory: memoryOf({ content }), relevance }], { relevanceThreshold: 0.28, now: new Date('2026-11-18T10:00:00Z') }).verdict;

type Row = readonly [policy: string, action: Partial<Action>, expected: Effect];

describe('a policy in plain words', () => {
  it.each<Row>([
    // names quoted in it
    ['Do not push to `production`.', { type: 'git.push', summary: 'Push the fix', command: 'git push origin production' }, 'block'],
    ['Do not push to `production`.', { type: 'git.push', summary: 'Push the production fix', command: 'git push origin fix/production-crash' }, 'allow'],
    ['Files under `legal/` must not be edited.', { summary: 'Reword the terms', files: ['legal/terms.md'] }, 'block'],
    ['Files under `legal/` must not be edited.', { summary: 'Explain the legal terms', files: ['docs/legal.md'] }, 'allow'],
    ['Ask before changing `*.proto` files.', { summary: 'Add a field to the order message', files: ['api/order.proto'] }, 'require_approval'],
    ['Ask before changing `*.proto` files.', { summary: 'Describe the order message', files: ['api/order.md'] }, 'allow'],
    ['`eval` must never be called in templates.', { summary: 'Call eval in the invoice template', files: ['templates/invoice.html'] }, 'block'],
    ['`eval` must never be called in templates.', { summary: 'Call eval in the build script', files: ['scripts/build.js'] }, 'allow'],
    ['Never run `make wipe` on a shared machine.', { type: 'shell.run', summary: 'Start afresh on the shared machine', command: 'make wipe' }, 'block'],
    ['Never run `make wipe` on a shared machine.', { type: 'shell.run', summary: 'Build on the shared machine', command: 'make all' }, 'allow'],
    // acts and what they are done to
    ['Never delete customer invoices.', { summary: 'Drop invoices of customers who left', files: ['jobs/cleanup.ts'] }, 'block'],
    ['Never delete customer invoices.', { summary: 'Add customer invoices to the export', files: ['jobs/export.ts'] }, 'allow'],
    ['Never delete customer invoices.', { type: 'docs.edit', summary: 'Describe how customer invoices are deleted', files: ['docs/invoices.md'] }, 'allow'],
    ['Do not disable two-factor login.', { summary: 'Switch two-factor login off for the demo accounts', files: ['auth/config.ts'] }, 'block'],
    ['Do not disable two-factor login.', { summary: 'Turn two-factor login on for staff', files: ['auth/config.ts'] }, 'allow'],
    [
      'Ask the platform team before adding a dependency.',
      { type: 'deps.add', summary: 'Add the package left-pad', files: ['package.json'] },
      'require_approval',
    ],
    ['Ask the platform team before adding a dependency.', { type: 'deps.remove', summary: 'Remove the package left-pad', files: ['package.json'] }, 'allow'],
    ['Never log passwords or session tokens.', { summary: 'Log the session token when login fails', files: ['auth/login.ts'] }, 'block'],
    ['Never log passwords or session tokens.', { summary: 'Log the session length when login fails', files: ['auth/login.ts'] }, 'allow'],
    // exceptions, provisos, other words for the same
    ['Never change the tax rules unless the finance team has asked for it.', { summary: 'Change the tax rules for 2027', files: ['tax/rules.ts'] }, 'block'],
    [
      'Never change the tax rules unless the finance team has asked for it.',
      { summary: 'Change the tax rules, asked for by the finance team', files: ['tax/rules.ts'] },
      'allow',
    ],
    [
      'Migrations must not be run without a backup.',
      { type: 'db.migrate', summary: 'Run the migrations right after the backup', command: 'make migrate' },
      'allow',
    ],
    ['Migrations must not be run without a backup.', { type: 'db.migrate', summary: 'Run the migrations', command: 'make migrate' }, 'block'],
    ['Agents may restart the staging server. Never restart the production server.', { type: 'server.restart', summary: 'Restart the staging server' }, 'allow'],
    ['Agents may restart the staging server. Never restart the production server.', { type: 'server.restart', summary: 'Restart the live server' }, 'block'],
    ['Do not use `moment`; `date-fns` is there for it.', { summary: 'Format the date with moment', files: ['src/date.ts'] }, 'block'],
    ['Do not use `moment`; `date-fns` is there for it.', { summary: 'Format the date with date-fns', files: ['src/date.ts'] }, 'allow'],
    // bounds and days
    ['Uploads of more than 50 MB need approval.', { type: 'file.upload', summary: 'Upload the video, 1.2 GB' }, 'require_approval'],
    ['Uploads of more than 50 MB need approval.', { type: 'file.upload', summary: 'Upload the logo, 300 kB' }, 'allow'],
    ['Never deploy on Fridays.', { type: 'deploy.release', summary: 'Deploy 4.1 on Friday afternoon' }, 'block'],
    ['Never deploy on Fridays.', { type: 'deploy.release', summary: 'Deploy 4.1 on Monday' }, 'allow'],
    ['Never deploy on Fridays.', { type: 'deploy.release', summary: 'Deploy 4.1' }, 'allow'],
    // duties
    ['Every endpoint should have a rate limit.', { summary: 'Add an endpoint without a rate limit', files: ['api/search.ts'] }, 'warn'],
    ['Every endpoint should have a rate limit.', { summary: 'Add an endpoint with a rate limit', files: ['api/search.ts'] }, 'allow'],
    ['Responses should stay below 200 ms.', { summary: 'Compute the responses anew each time, about 2 seconds', files: ['api/report.ts'] }, 'warn'],
    ['Avoid nested ternaries.', { summary: 'Choose the label with nested ternaries', files: ['ui/label.ts'] }, 'warn'],
    ['Avoid nested ternaries.', { summary: 'Choose the label with a switch', files: ['ui/label.ts'] }, 'allow'],
    // anything at all
    ['Nothing may be changed except the translations under `locales/`.', { summary: 'Fix the German greeting', files: ['locales/de.json'] }, 'allow'],
    [
      'Nothing may be changed except the translations under `locales/`.',
      { summary: 'Fix the German greeting', files: ['locales/de.json', 'src/greet.ts'] },
      'block',
    ],
  ])('%s — %o: %s', (policy, action, expected) => {
    expect(verdict(policy, action)).toBe(expected);
  });
});
