import type { Report, SetRun } from '../report.ts';
import { html, raw } from './markup.ts';
import { qualityPlot } from './plots.ts';
import { featureColors } from './questions.ts';
import { setSection } from './set-section.ts';

const style = `
body { font: 14px/1.45 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; color: #1c2026 }
h1 { font-size: 1.5rem } h2 { margin-top: 3rem; border-top: 1px solid #d5d8dd; padding-top: 1rem } h3 { font-size: 1rem; margin: 1.4rem 0 .4rem }
table { border-collapse: collapse } td, th { padding: .15rem .6rem; text-align: right; font-variant-numeric: tabular-nums } td:first-child, th:first-child { text-align: left }
summary { cursor: pointer; padding: .15rem 0 } .fine, i { color: #69707a; font-style: normal } nav a { margin-right: 1rem }
.question { margin-left: 1rem } .question[open] { background: #f6f7f9; padding: .2rem .8rem .6rem } .win { color: #1f5fbf } .loss { color: #b8433f }
.hit { margin: .35rem 0; font-size: 13px } .bar { display: flex; height: 9px; background: #e6e8ec; margin-bottom: .1rem } .bar i { display: block; height: 9px }
.relevant { color: #1d7a4f; font-weight: 600 } .key { display: inline-block; width: 10px; height: 10px; margin: 0 .3rem 0 .9rem } figure { margin: 0 }
`;

// Opens what a link inside the page points into; a closed <details> would otherwise swallow the jump.
const script = `addEventListener('hashchange', () => { for (let at = document.getElementById(location.hash.slice(1)); at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true; document.getElementById(location.hash.slice(1))?.scrollIntoView() })`;

/** The whole report in one file that needs nothing else. */
export function renderPage(report: Report, runs: readonly SetRun[]): string {
  const features = runs
    .flatMap(({ answers }) => [...answers.values()].flat())
    .find(({ hits }) => hits.length > 0)
    ?.hits[0]?.contributions.map(([feature]) => feature);
  const sections = runs.flatMap((run, at) => {
    const figures = report.sets[run.set.name];
    return figures ? [{ name: run.set.name, id: `s${at}`, section: setSection(run.set.name, figures, run, `s${at}`) }] : [];
  });
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ranking: ${report.profile}</title><style>${raw(style)}</style></head><body>
<h1>Ranking</h1>
<p>Profile ${report.profile}, model ${report.model}, ${report.engine}, ${report.seconds.toFixed(0)} s.</p>
<nav>${sections.map(({ name, id }) => html`<a href="#${id}">${name}</a> `)}</nav>
<h2>Quality by set and leg</h2>
${qualityPlot(report)}
<p>Parts of a score: ${features?.map((feature, at) => html`<span class="key" style="background:${featureColors[at % featureColors.length]}"></span>${feature}`)}. The full width of a bar is a score of 1.
Before a question stand its nDCG@10 and, paler, that of BM25.</p>
${sections.map(({ section }) => section)}
<script>${raw(script)}</script></body></html>
`.markup;
}
