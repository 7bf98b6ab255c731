import type { ModelManifest } from '../embedding/embedder.ts';
import { modelFingerprint } from '../embedding/manifest.ts';
import { Refusal } from '../refusal.ts';
import type { ModelIdentity, Vectors } from '../store/models.ts';

/** The configured model is not the one whose vectors are stored. */
export class ModelMismatch extends Refusal {
  override readonly name = 'ModelMismatch';
}

export function identityOf(manifest: ModelManifest): ModelIdentity {
  return { id: manifest.id, dimensions: manifest.dimensions, fingerprint: modelFingerprint(manifest) };
}

/**
 * Makes sure that the stored vectors are this model's. @returns the model's number.
 * @throws ModelMismatch that names the command which fixes it.
 */
export async function matchModel(vectors: Vectors, manifest: ModelManifest): Promise<number> {
  const model = identityOf(manifest);
  const active = await vectors.active();
  const modelNo = await vectors.register(model);
  if (!active || active.fingerprint === model.fingerprint) return modelNo;
  if (!(await vectors.any())) {
    await vectors.activate(modelNo);
    return modelNo;
  }
  throw new ModelMismatch(
    `The stored vectors were made by the model ${active.id} (${active.dimensions} dimensions), but the configured model is ${model.id} (${model.dimensions} dimensions` +
      `${active.id === model.id ? ', other files' : ''}). Vectors of two models cannot be compared. Run \`kneeboard reembed\` with this configuration, or set KNEEBOARD_MODEL back.`,
  );
}
