#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';
import { modelsFolder, openEmbedder, openStore } from './assemble.ts';
import { type Grant, permissions } from './auth/caller.ts';
import { readConfig } from './config.ts';
import { newId } from './ids.ts';
import { explain, serve } from './main.ts';
import { Refusal } from './refusal.ts';
import { clientIdOf, defaultTenant } from './store/credentials.ts';
import type { Store } from './store/store.ts';
import { fillVectors } from './upkeep/backfill.ts';
import { identityOf } from './upkeep/model-match.ts';

/** `kneeboard …`: each command is a few lines over the parts that the service is made of. */
const program = new Command('kneeboard').description('Memory and preflight for software agents.').showHelpAfterError();

program
  .command('serve', { isDefault: true })
  .description('run the service')
  .action(() => serve(process.env, print));

program
  .command('migrate')
  .description('bring the database up to date and stop')
  .action(async () => {
    const store = await open();
    await store.close();
    print('The database is up to date.\n');
  });

const tenant = program.command('tenant').description('isolation boundaries');
tenant
  .command('create <name>')
  .description('make a tenant with an owner and print the owner’s token once')
  .action((name: string) =>
    withStore(async (store) => {
      const token = await store.changeCredentials(async (credentials) => {
        await credentials.createTenant(name);
        const owner = await credentials.enroll(name, { name: 'owner', type: 'person', grants: [{ scope: '*', can: [...permissions] }] });
        return (await credentials.issue(name, owner.principalId, { label: 'tenant create' })).token;
      });
      await record(store, name, 'tenant.create', [name]);
      print(`Tenant ${name}. Token of its owner, shown this once: ${token}\n`);
    }),
  );

const principal = program.command('principal').description('who may act in a tenant');
principal
  .command('enroll <name>')
  .description('make a principal; a machine gets a client id and a secret, shown once')
  .requiredOption('--grant <grant...>', 'for example "read,write on repo:acme/*" or "read on *"', collectGrants)
  .option('--machine', 'for unattended use: authenticates at /oauth/token', false)
  .option('--tenant <tenant>', 'its tenant', defaultTenant)
  .action((name: string, { grant, machine, tenant }: { grant: Grant[]; machine: boolean; tenant: string }) =>
    withStore(async (store) => {
      const { principalId, clientSecret } = await store.credentials.enroll(tenant, { name, type: machine ? 'machine' : 'person', grants: grant });
      await record(store, tenant, 'principal.enroll', [principalId]);
      print(`Principal ${principalId} (${name}).\n`);
      if (clientSecret !== undefined) print(`client_id ${clientIdOf(tenant, principalId)}\nclient_secret ${clientSecret}  (shown this once)\n`);
    }),
  );

const token = program.command('token').description('bearer tokens of principals');
token
  .command('issue <principal>')
  .description('print a new token of a principal (id or name), once')
  .option('--tenant <tenant>', 'its tenant', defaultTenant)
  .option('--label <label>', 'what it is for', 'issued by hand')
  .option('--days <days>', 'valid for so many days; for ever unless given', wholeDays)
  .action((name: string, { tenant, label, days }: { tenant: string; label: string; days?: number }) =>
    withStore(async (store) => {
      const found = await store.credentials.findPrincipal(tenant, name);
      if (!found) throw new Refusal(`There is no principal ${name} in tenant ${tenant}. Make it with: kneeboard principal enroll ${name} --grant "read on *"`);
      const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000);
      const issued = await store.credentials.issue(tenant, found.principalId, { label, expiresAt });
      await record(store, tenant, 'token.issue', [found.principalId, issued.credentialId]);
      print(`${issued.token}\n`);
    }),
  );
token
  .command('list')
  .description('list tokens: id, principal, label, state, last use')
  .option('--tenant <tenant>', 'its tenant', defaultTenant)
  .action(({ tenant }: { tenant: string }) =>
    withStore(async (store) => {
      for (const one of await store.credentials.list(tenant)) {
        const state = one.revokedAt ? 'revoked' : one.expiresAt && one.expiresAt <= new Date() ? 'expired' : 'valid';
        print([one.credentialId, one.principalName, one.label, state, one.lastUsedAt?.toISOString() ?? 'never used'].join('\t').concat('\n'));
      }
    }),
  );
token
  .command('revoke <credential>')
  .description('revoke a token by its credential id (crd_…); effective at once')
  .option('--tenant <tenant>', 'its tenant', defaultTenant)
  .action((credentialId: string, { tenant }: { tenant: string }) =>
    withStore(async (store) => {
      if (!(await store.credentials.revoke(tenant, { credentialId }, new Date())))
        throw new Refusal(`There is no valid token ${credentialId} in tenant ${tenant}.`);
      await record(store, tenant, 'token.revoke', [credentialId]);
      print(`Revoked ${credentialId}.\n`);
    }),
  );

program
  .command('reembed')
  .description('fill in vectors of the configured model and make it the one that searches use; can be stopped and started again')
  .action(() =>
    withStore(async (store) => {
      const { config } = readConfig(process.env);
      const embedder = await openEmbedder(config);
      try {
        const modelNo = await store.vectors.register(identityOf(embedder.manifest));
        const done = await fillVectors(store.vectors, embedder, modelNo, (count) => print(`\r${count} memories embedded`));
        await store.vectors.activate(modelNo);
        print(`\r${done} memories embedded with ${embedder.manifest.id}; searches use it from the next start on.\n`);
      } finally {
        await embedder.close();
      }
    }),
  );

const model = program.command('model').description('embedding models');
model
  .command('pull <id>')
  .description('download a model and verify it, for example Xenova/all-MiniLM-L6-v2')
  .action(async (id: string) => {
    const { config } = readConfig(process.env);
    const { pullModel } = await import('./embedding/pull.ts');
    const folder = await pullModel({
      id,
      into: modelsFolder(config),
      onProgress: ({ file, received, total }) => print(`\r${file} ${total ? `${Math.floor((received / total) * 100)} %` : `${received} bytes`}   `),
    });
    print(`\nInstalled in ${folder}. Use it with KNEEBOARD_MODEL=${id}\n`);
  });

function open(): Promise<Store> {
  const { config, secrets } = readConfig(process.env);
  return openStore(config, secrets);
}

async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const store = await open();
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

function record(store: Store, tenantId: string, event: string, subjects: string[]): Promise<void> {
  return store.audit({ tenantId, at: new Date(), requestId: newId('req'), principalId: undefined, event, outcome: 'ok', subjects });
}

/** `read,write on repo:acme/*` */
function collectGrants(text: string, before: Grant[] = []): Grant[] {
  const [, can = '', scope = ''] = /^([a-z, ]+) on (\S+)$/.exec(text) ?? [];
  const wanted = can.split(',').map((word) => word.trim());
  const known = permissions.filter((permission) => wanted.includes(permission));
  if (scope === '' || known.length !== wanted.length)
    throw new InvalidArgumentError(
      `Write it as "${permissions.join(',')} on <scope>", with the permissions you mean and a scope key, in which * stands for anything.`,
    );
  return [...before, { scope, can: known }];
}

function wholeDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Must be a whole number of days.');
  return Number(text);
}

function print(text: string): void {
  process.stdout.write(text);
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`kneeboard: ${explain(error)}\n`);
  process.exitCode = 1;
});
