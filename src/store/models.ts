import type { Database } from './engine/database.ts';
import { storeVectors } from './indexing.ts';

/** What tells one embedding model's vectors from another's. */
export interface ModelIdentity {
  id: string;
  dimensions: number;
  /** SHA-256 over the model's files, hex. */
  fingerprint: string;
}

/** A memory without a vector of a model. */
export interface Unembedded {
  tenantId: string;
  scopeNo: number;
  memoryNo: number;
  content: string;
}

/** The vectors of the deployment, whoever's they are: for upkeep, never for a caller. */
export interface Vectors {
  active(): Promise<ModelIdentity | undefined>;
  /** Makes the model known; it becomes active when no other is. @returns its number. */
  register(model: ModelIdentity): Promise<number>;
  /** The next searchable memories that lack a vector of this model, tenant by tenant. */
  missing(modelNo: number, limit: number): Promise<Unembedded[]>;
  store(modelNo: number, tenantId: string, vectors: readonly { memoryNo: number; scopeNo: number; vector: Float32Array }[]): Promise<void>;
  /** Whether any vector is stored. */
  any(): Promise<boolean>;
  /** Makes a filled model the one that searches use, and drops the others' vectors. */
  activate(modelNo: number): Promise<void>;
}

export function createVectors(database: Database): Vectors {
  return {
    async active() {
      const [row] = await database.query<ModelIdentity & { model_id: string }>('select model_id, dimensions, fingerprint from embedding_model where active');
      return row && { id: row.model_id, dimensions: row.dimensions, fingerprint: row.fingerprint };
    },
    register: (model) =>
      database.transaction(async (sql) => {
        // One starter at a time: the number is taken by counting on.
        await sql.query('lock table embedding_model in share row exclusive mode');
        const [known] = await sql.query<{ model_no: number }>('select model_no from embedding_model where model_id = $1 and fingerprint = $2', [
          model.id,
          model.fingerprint,
        ]);
        if (known) return known.model_no;
        const [made] = await sql.query<{ model_no: number }>(
          `insert into embedding_model (model_no, model_id, dimensions, fingerprint, active)
select coalesce(max(model_no), 0) + 1, $1, $2, $3, count(*) filter (where active) = 0 from embedding_model
returning model_no`,
          [model.id, model.dimensions, model.fingerprint],
        );
        if (!made) throw new Error('no model number');
        return made.model_no;
      }),
    async missing(modelNo, limit) {
      const rows = await database.query<{ tenant_id: string; scope_no: number; memory_no: number; content: string }>(
        `select m.tenant_id, m.scope_no, m.memory_no, m.content
from memory m
where m.length is not null and m.content is not null
  and not exists (select from memory_vector v where v.tenant_id = m.tenant_id and v.model_no = $1 and v.scope_no = m.scope_no and v.memory_no = m.memory_no)
order by m.tenant_id, m.memory_no
limit $2::int`,
        [modelNo, limit],
      );
      return rows.map((row) => ({ tenantId: row.tenant_id, scopeNo: row.scope_no, memoryNo: row.memory_no, content: row.content }));
    },
    store: (modelNo, tenantId, vectors) => storeVectors(database, tenantId, vectors, modelNo),
    async any() {
      return (await database.query('select from memory_vector limit 1')).length > 0;
    },
    activate: (modelNo) =>
      database.transaction(async (sql) => {
        await sql.query('update embedding_model set active = false where active and model_no <> $1', [modelNo]);
        await sql.query('update embedding_model set active = true where model_no = $1', [modelNo]);
        await sql.query('delete from memory_vector where model_no <> $1', [modelNo]);
        await sql.query('delete from embedding_model where model_no <> $1', [modelNo]);
      }),
  };
}
