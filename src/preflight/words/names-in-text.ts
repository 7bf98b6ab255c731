/** A text whose backticked names are out of reach of patterns over its words. */
export interface Veiled {
  text: string;
  /** Puts the names back into a part of the text. */
  lift(part: string): string;
}

/** Private-use characters stand for the names: no pattern over words takes hold of them. */
export function veilNames(text: string): Veiled {
  const names: string[] = [];
  const veiled = text.replace(/`[^`]*`/g, (name) => `\uE000${names.push(name) - 1}\uE001`);
  return { text: veiled, lift: (part) => part.replace(/\uE000(\d+)\uE001/g, (_, at) => names[Number(at)] ?? '') };
}
