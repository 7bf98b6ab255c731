import { Refusal } from '../refusal.ts';

/** A model is missing, altered or unusable. */
export class ModelRefusal extends Refusal {
  override readonly name = 'ModelRefusal';
}
