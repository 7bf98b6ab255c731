/** The store cannot be used as it is. Thrown at start only; the message tells the operator why and what to do. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}
