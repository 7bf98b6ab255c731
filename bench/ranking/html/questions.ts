import type { Answer, Hit } from '../run.ts';
import { html, type Markup } from './markup.ts';

export interface Question {
  anchor: string;
  text: string;
  scope: string | undefined;
  category: string | undefined;
  /** Undefined: has no answer, or none that is known. */
  relevance: ReadonlyMap<string, number> | undefined;
  /** nDCG@10 of the leg, of the baseline. */
  quality: readonly [own: number, baseline: number] | undefined;
  answer: Answer;
}

export const featureColors = ['#2a9d6f', '#d9822b', '#6b4fa1', '#c9b037', '#5f7f95', '#b8433f'] as const;

/** A question and its best hits, each with the parts that its score is the sum of. */
export function questionPage({ anchor, text, scope, category, relevance, quality, answer }: Question): Markup {
  const missed = [...(relevance?.keys() ?? [])].filter((id) => !answer.ranking.slice(0, 10).includes(id));
  return html`<details class="question" id="${anchor}"><summary>${quality && html`<b class="${tone(quality)}">${quality[0].toFixed(2)}</b> <i>${quality[1].toFixed(2)}</i> `}${shorten(text, 140)}</summary>
<p>${shorten(text, 1_000)}</p><p class="fine">${[category, scope].filter(Boolean).join(' · ')}</p>
${answer.hits.map((hit) => hitLine(hit, relevance))}
${missed.length > 0 && html`<p class="fine">Relevant and not among the first ten: ${missed.slice(0, 12).join(', ')}${missed.length > 12 && ' …'}</p>`}</details>
`;
}

function hitLine({ documents, excerpt, score, contributions }: Hit, relevance: Question['relevance']): Markup {
  const grade = Math.max(0, ...documents.map((id) => relevance?.get(id) ?? 0));
  return html`<div class="hit"><div class="bar" title="${contributions.map(([feature, value]) => `${feature} ${value.toFixed(3)}`).join(' + ')}">${contributions.map(
    ([, value], at) => html`<i style="width:${(Math.max(0, value) * 100).toFixed(1)}%;background:${featureColors[at % featureColors.length]}"></i>`,
  )}</div><b>${score.toFixed(3)}</b> <span class="${grade > 0 ? 'relevant' : ''}">${grade > 0 && '✓ '}${documents.join(', ')}</span> ${excerpt}</div>
`;
}

export function tone([own, baseline]: readonly [number, number]): string {
  return own > baseline ? 'win' : own < baseline ? 'loss' : '';
}

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
