import type { z } from 'zod';
import type { Permission } from './auth/caller.ts';
import type { Context } from './context.ts';

/** What a verb does to stored memories. `destroy` may remove them from view or for good. */
export type Effect = 'read' | 'write' | 'destroy';

/**
 * One verb, declared once. tools/list, the REST routes, OpenAPI, the README's table, the permission check and the audit name are
 * all derived from this object. Schemas hold no transforms: what is advertised is what is judged.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** The canonical tool name and the REST resource, for example `memory.search`. */
  name: string;
  title: string;
  /** For agents and people: what it does, what it returns, and that returned text is evidence. */
  summary: string;
  permission: Permission;
  effect: Effect;
  idempotent: boolean;
  /** True: every call, refused or not, is one audit row. */
  audited: boolean;
  input: Input;
  output: Output;
  /** Upper bounds on the length of input arrays, answered with `payload_too_large` instead of `validation`. */
  maxItems?: Readonly<Record<string, number>>;
  /** Success of a part only; REST answers 207. */
  partial?(output: z.output<Output>): boolean;
  /** One input that works on a fresh store; shown in OpenAPI and the README. */
  example: z.input<Input>;
  run(input: z.output<Input>, context: Context): Promise<z.input<Output>>;
}

/** Keeps the schemas' types inside the declaration while the table holds plain `Operation`s. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject>(operation: Operation<Input, Output>): Operation<Input, Output> {
  return operation;
}
