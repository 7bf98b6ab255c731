import { Refusal } from '../../refusal.ts';

/** The store cannot be used as it is. Thrown at start only; the message tells the operator why and what to do. */
export class StoreRefusal extends Refusal {
  override readonly name = 'StoreRefusal';
}
