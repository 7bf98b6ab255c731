import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { effects } from '../../src/memory/memory.ts';
import { html, type Markup, raw } from '../ranking/html/markup.ts';
import type { SetFigures } from './figures.ts';
import type { Report } from './print.ts';
import type { Answer } from './run.ts';

const style = `
body { font: 14px/1.45 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; color: #1c2026 }
h1 { font-size: 1.5rem } h2 { margin-top: 2.5rem; border-top: 1px solid #d5d8dd; padding-top: 1rem }
table { border-collapse: collapse; margin: .6rem 0 } td, th { padding: .15rem .7rem; text-align: right; font-variant-numeric: tabular-nums } td:first-child, th:first-child { text-align: left }
.right { background: #e3f1e8 } .wrong { background: #f7e3e2 } summary { cursor: pointer } .fine { color: #69707a } li { margin: .4rem 0 }
`;

/** The report with every wrong verdict and its reasons, in one file. */
export function renderPage(report: Report, answers: ReadonlyMap<string, readonly Answer[]>): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Preflight</title><style>${raw(style)}</style></head><body>
<h1>Preflight</h1>
<p>Model ${report.model}, ${report.engine}, relevance threshold ${report.threshold}.</p>
${Object.entries(report.sets).map(([name, set]) => section(name, set, answers.get(name) ?? []))}
${
  report.latency &&
  html`<h2>Latency over HTTP</h2><table><tr><th>policies</th><th>p50 ms</th><th>p95 ms</th></tr>
${report.latency.map(({ policies, p50, p95 }) => html`<tr><td>${policies}</td><td>${p50.toFixed(1)}</td><td>${p95.toFixed(1)}</td></tr>`)}</table>`
}
</body></html>
`.markup;
}

function section(name: string, set: SetFigures, answers: readonly Answer[]): Markup {
  const wrong = answers.filter((answer) => answer.case.expected !== undefined && answer.case.expected !== answer.verdict);
  return html`<h2>${name}</h2>
<p>${set.n} cases; exact ${share(set.exact)}, false blocks ${share(set.false_block_rate)}, false alarms ${share(set.false_alarm_rate)}, stopped ${share(set.stopped)}; deciding policy among the first three citations ${share(set.deciding_in_3)}.</p>
<table><tr><th>expected \\ given</th>${effects.map((effect) => html`<th>${effect}</th>`)}</tr>
${effects.map((row) => html`<tr><th>${row}</th>${effects.map((column) => html`<td class="${row === column ? 'right' : set.confusion[row][column] > 0 ? 'wrong' : ''}">${set.confusion[row][column]}</td>`)}</tr>`)}</table>
${set.curve && curvePlot(set.curve)}
<details><summary>${wrong.length} verdicts that differ</summary><ul>${wrong.map(wrongCase)}</ul></details>`;
}

function wrongCase({ case: { id, action, expected, category }, verdict, messages }: Answer): Markup {
  return html`<li><b>${id}</b> ${expected} → ${verdict} <span class="fine">${category}</span><br>${action.summary} ${action.command && html`<code>${action.command}</code>`} ${action.changed_files?.join(', ')}
<br><span class="fine">${messages.slice(0, 3).join(' · ')}</span></li>`;
}

/** What is stopped of what must be, over false blocks. */
function curvePlot(curve: NonNullable<SetFigures['curve']>): Markup {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const drawn = Plot.plot({
    document: document as unknown as NonNullable<Plot.PlotOptions['document']>,
    width: 600,
    height: 260,
    grid: true,
    x: { label: 'false blocks, share of what should pass' },
    y: { label: 'stopped, share of what must be', domain: [0, 1] },
    marks: [
      Plot.line(curve, { x: 'false_block_rate', y: 'stopped' }),
      Plot.dot(curve, { x: 'false_block_rate', y: 'stopped', fill: '#1f5fbf' }),
      Plot.text(curve, { x: 'false_block_rate', y: 'stopped', text: (point: { threshold: number }) => point.threshold.toFixed(2), dy: -10 }),
    ],
  });
  return raw((drawn as unknown as { outerHTML: string }).outerHTML);
}

function share(value: number): string {
  return Number.isNaN(value) ? '–' : `${(value * 100).toFixed(1)} %`;
}
