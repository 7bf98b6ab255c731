import { permissions } from '../auth/caller.ts';
import { defaultTenant } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';

/**
 * Gives an empty store its default tenant and an owner. @returns the owner's token, the only time that it can be read; undefined when the
 * store is not empty. Tenant, owner and token come into being together or not at all.
 */
export async function firstStart(store: Store, bootstrapToken: string | undefined): Promise<string | undefined> {
  if (await store.credentials.hasTenants()) return undefined;
  return store.changeCredentials(async (credentials) => {
    await credentials.createTenant(defaultTenant);
    const owner = await credentials.enroll(defaultTenant, { name: 'owner', type: 'person', grants: [{ scope: '*', can: [...permissions] }] });
    const { token } = await credentials.issue(defaultTenant, owner.principalId, { label: 'first start', token: bootstrapToken });
    return token;
  });
}
