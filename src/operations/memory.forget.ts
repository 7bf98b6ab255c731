import { z } from 'zod';
import { reason } from '../memory/memory.ts';
import { defineOperation } from '../operation.ts';
import { refuseSecrets } from '../screening/secrets.ts';

export const memoryForget = defineOperation({
  name: 'memory.forget',
  title: 'Forget a memory',
  summary:
    'Takes a memory out of every search and leaves a tombstone: reading or revising it then answers gone. With erase, its content, vector, terms and history text are destroyed as well. ' +
    'Forgetting again changes nothing. Remembering the same content brings it back.',
  permission: 'write',
  effect: 'destroy',
  idempotent: true,
  audited: true,
  input: z.strictObject({
    id: z.string().min(1).max(100),
    reason: reason.optional(),
    erase: z.boolean().optional().meta({ description: 'Destroy the text for good.' }),
  }),
  output: z.object({ id: z.string(), forgotten_at: z.string(), erased: z.boolean() }),
  example: { id: 'mem_00000000000000000000000000', reason: 'no longer true' },

  async run({ id, reason, erase = false }, { writer }) {
    await refuseSecrets({ reason });
    const { forgottenAt, erased } = await writer.forget(id, { reason, erase });
    return { id, forgotten_at: forgottenAt.toISOString(), erased };
  },
});
