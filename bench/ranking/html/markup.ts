/** Text that is markup already; everything else is escaped. */
export interface Markup {
  markup: string;
}

type Part = Markup | string | number | undefined | false | readonly Part[];

/** A tagged template whose values are escaped unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.reduce((page, string, at) => page + render(parts[at - 1]) + string) };
}

export function raw(markup: string): Markup {
  return { markup };
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return 'markup' in part ? part.markup : part.map(render).join('');
}
