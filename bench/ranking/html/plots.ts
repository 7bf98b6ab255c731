import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { type Contender, contenders, type Report } from '../report.ts';
import { type Markup, raw } from './markup.ts';

/** Plots as static SVG: drawn here, into a document that only exists for it. */

export const contenderColors: Readonly<Record<Contender, string>> = { hybrid: '#1f5fbf', vector: '#2a9d6f', text: '#d9822b', baseline: '#8a8f98' };
const color = { domain: [...contenders], range: contenders.map((contender) => contenderColors[contender]), legend: true };

/** nDCG@10 of every set, one dot a contender, with its interval. */
export function qualityPlot(report: Report): Markup {
  const dots = Object.entries(report.sets).flatMap(([set, figures]) =>
    contenders.flatMap((contender) => {
      const row = figures[contender];
      if (row === undefined) return [];
      const [low, high] = row.ci95?.['nDCG@10'] ?? [row['nDCG@10'], row['nDCG@10']];
      return [{ set, contender, value: row['nDCG@10'], low, high }];
    }),
  );
  return draw({
    width: 900,
    height: 60 + 62 * Object.keys(report.sets).length,
    marginLeft: 170,
    x: { label: 'nDCG@10, bars: 95 % of resamples', domain: [0, 1], grid: true },
    y: { axis: null, domain: [...contenders] },
    fy: { label: null, domain: Object.keys(report.sets), padding: 0.25 },
    color,
    marks: [
      Plot.axisFy({ textAnchor: 'end', anchor: 'left', dx: -10 }),
      Plot.ruleY(dots, { fy: 'set', y: 'contender', x1: 'low', x2: 'high', stroke: 'contender', strokeWidth: 2 }),
      Plot.dot(dots, { fy: 'set', y: 'contender', x: 'value', fill: 'contender', r: 4 }),
    ],
  });
}

/** Every question as one bar, best win first. */
export function differencePlot(differences: readonly number[]): Markup {
  const bars = [...differences].sort((a, b) => b - a).map((difference, at) => ({ at, difference }));
  return draw({
    width: 900,
    height: 160,
    x: { label: `${bars.length} questions, best win first`, ticks: 0 },
    y: { label: 'nDCG@10 over BM25', domain: [-1, 1], grid: true },
    marks: [
      Plot.rectY(bars, {
        x1: (bar: (typeof bars)[number]) => bar.at,
        x2: (bar: (typeof bars)[number]) => bar.at + 1,
        y: 'difference',
        fill: (bar: (typeof bars)[number]) => (bar.difference < 0 ? '#b8433f' : '#1f5fbf'),
      }),
      Plot.ruleY([0]),
    ],
  });
}

/** How the best hits' scores lie for questions with and without an answer. */
export function scorePlot(answered: readonly number[], unanswered: readonly number[]): Markup {
  const bars = [...histogram(answered, 'with an answer'), ...histogram(unanswered, 'without an answer')];
  return draw({
    width: 900,
    height: 180,
    x: { label: 'score of the best hit', domain: [0, 1] },
    y: { label: 'share of questions', grid: true },
    color: { domain: ['with an answer', 'without an answer'], range: ['#1f5fbf', '#b8433f'], legend: true },
    marks: [Plot.rect(bars, { x1: 'from', x2: 'to', y1: 0, y2: 'share', fill: 'kind', fillOpacity: 0.5 }), Plot.ruleY([0])],
  });
}

const bins = 40;

function histogram(scores: readonly number[], kind: string) {
  return Array.from({ length: bins }, (_, bin) => ({
    kind,
    from: bin / bins,
    to: (bin + 1) / bins,
    share: scores.filter((score) => Math.min(bins - 1, Math.floor(score * bins)) === bin).length / scores.length,
  }));
}

function draw(options: Plot.PlotOptions): Markup {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const drawn = Plot.plot({ ...options, document: document as unknown as NonNullable<Plot.PlotOptions['document']> });
  return raw((drawn as unknown as { outerHTML: string }).outerHTML);
}
