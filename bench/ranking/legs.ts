import type { Embedder } from '../../src/embedding/embedder.ts';
import { Failure } from '../../src/failure.ts';
import type { RankingProfile } from '../../src/ranking/profile.ts';

export const legs = ['hybrid', 'vector', 'text'] as const;
export type Leg = (typeof legs)[number];

/** The profile as it is, or with every weight on one leg: one code path ranks them all. */
export function legProfile(profile: RankingProfile, leg: Leg): RankingProfile {
  if (leg === 'hybrid') return profile;
  const weights = Object.fromEntries(Object.keys(profile.weights).map((feature) => [feature, feature === leg ? 1 : 0])) as RankingProfile['weights'];
  return {
    ...profile,
    name: `${profile.name}, ${leg} alone`,
    weights,
    candidates: { ...profile.candidates, [leg === 'vector' ? 'text' : 'vector']: 0 },
    // Without the clamp of the hybrid score, so that the most similar stay apart.
    vector: { ...profile.vector, floor: -1, ceiling: 1 },
  };
}

/** Text alone asks no model: it gives the answer of an embedder that is down. */
export function legEmbedder(embedder: Embedder, leg: Leg): Embedder {
  if (leg !== 'text') return embedder;
  return { ...embedder, embed: () => Promise.reject(new Failure('dependency_unavailable', 'This leg does not use the embedding model.')) };
}
