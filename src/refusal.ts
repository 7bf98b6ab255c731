/** Something that the operator can mend: the message says what and how, and its stack would say nothing more. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}
