/** What a grant allows: `read` search, get and preflight; `write` remember, revise, forget and report; `govern` policies; `approve` decisions. */
export const permissions = ['read', 'write', 'govern', 'approve'] as const;
export type Permission = (typeof permissions)[number];

export interface Grant {
  /** `*`, or a scope key in which `*` stands for any run of characters; it covers what the scope encloses too. */
  scope: string;
  can: readonly Permission[];
}

export type PrincipalType = 'person' | 'machine';

/** Who is asking: a principal of one tenant, proven by a credential. */
export interface Caller {
  tenantId: string;
  principalId: string;
  name: string;
  type: PrincipalType;
  grants: readonly Grant[];
}
