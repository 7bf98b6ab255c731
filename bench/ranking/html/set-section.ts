import type { Leg } from '../legs.ts';
import { metricNames } from '../metrics.ts';
import { contenders, type SetReport, type SetRun } from '../report.ts';
import type { Answer } from '../run.ts';
import { html, type Markup } from './markup.ts';
import { differencePlot, scorePlot } from './plots.ts';
import { type Question, questionPage, shorten, tone } from './questions.ts';

/** Question pages of one set; a page more for each of thousands of questions would make a file that no browser opens gladly. */
const mostPages = 250;

export function setSection(name: string, report: SetReport, run: SetRun, sectionId: string): Markup {
  const [[leg, answers]] = [...run.answers] as [[Leg, readonly Answer[]]];
  const questions = readQuestions(report, run, leg, answers, sectionId);
  const judged = questions.flatMap((question) => (question.quality ? [{ ...question, gain: question.quality[0] - question.quality[1] }] : []));
  const wins = judged.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
  const losses = judged.filter(({ gain }) => gain < 0).sort((a, b) => a.gain - b.gain);
  const pages = pickPages(questions, wins, losses);
  const linked = new Set(pages.map(({ anchor }) => anchor));

  return html`<section id="${sectionId}"><h2>${name}</h2>
${figuresTable(report)}
<p class="fine">${report.memories} memories, ${report.index_per_s.toFixed(0)} loaded a second; a query takes ${report.query_ms.p50.toFixed(1)} ms (p95 ${report.query_ms.p95.toFixed(1)}).</p>
<h3>${leg} against BM25: ${wins.length} wins, ${losses.length} losses, ${judged.length - wins.length - losses.length} equal</h3>
${judged.length > 0 && differencePlot(judged.map(({ gain }) => gain))}
${list('Wins', wins, linked)}${list('Losses', losses, linked)}
${distribution(report, run, leg, answers)}
<details><summary>${pages.length} of ${questions.length} questions, with the best hits and what their scores are made of</summary>${pages.map(questionPage)}</details></section>
`;
}

function readQuestions({ queries }: SetReport, { set }: SetRun, leg: Leg, answers: readonly Answer[], sectionId: string): Question[] {
  const places = new Map(queries.ids.map((id, at) => [id, at]));
  return set.queries.map((query, at) => {
    const place = places.get(query.id);
    return {
      anchor: `${sectionId}-${at}`,
      text: query.text,
      scope: query.scope,
      category: query.category,
      relevance: set.relevance.get(query.id),
      quality: place === undefined ? undefined : ([queries['nDCG@10'][leg]?.[place] ?? 0, queries['nDCG@10'].baseline?.[place] ?? 0] as const),
      answer: answers[at] as Answer,
    };
  });
}

/** Clear wins and losses first, then what has no answer, then the rest; shown in the set's own order. */
function pickPages(questions: readonly Question[], wins: readonly Question[], losses: readonly Question[]): Question[] {
  const ends = [...wins.slice(0, mostPages / 2), ...losses.slice(0, mostPages / 2)];
  const order = [...ends, ...questions.filter(({ quality }) => quality === undefined), ...questions];
  const picked = new Set([...new Set(order.map(({ anchor }) => anchor))].slice(0, mostPages));
  return questions.filter(({ anchor }) => picked.has(anchor));
}

function figuresTable(report: SetReport): Markup {
  return html`<table><tr><th>ranked by</th><th>n</th>${metricNames.map((metric) => html`<th>${metric}</th>`)}</tr>
${contenders.map((contender) => {
  const row = report[contender];
  return (
    row &&
    html`<tr><td>${contender === 'baseline' ? `BM25 ${row.column}` : contender}</td><td>${row.n}</td>${metricNames.map((metric) => html`<td>${row[metric].toFixed(3)}</td>`)}</tr>`
  );
})}</table>
`;
}

function list(title: string, questions: readonly Question[], linked: ReadonlySet<string>): Markup {
  return html`<details><summary>${title} (${questions.length})</summary><ol>${questions.map(({ anchor, text, quality }) => {
    const words = shorten(text, 160);
    return html`<li><b class="${quality && tone(quality)}">${quality?.[0].toFixed(2)}</b> <i>${quality?.[1].toFixed(2)}</i> ${linked.has(anchor) ? html`<a href="#${anchor}">${words}</a>` : words}</li>
`;
  })}</ol></details>
`;
}

function distribution(report: SetReport, { set, answeredElsewhere }: SetRun, leg: Leg, answers: readonly Answer[]): Markup | undefined {
  if (report.abstention === undefined) return undefined;
  const judged = (at: number) => set.relevance.has(set.queries[at]?.id ?? '');
  const answered = answeredElsewhere?.get(leg) ?? answers.filter((_, at) => judged(at));
  const unanswered = answers.filter((_, at) => set.adversarial || !judged(at));
  const best = (given: readonly Answer[]) => given.map(({ best }) => best);
  return html`<h3>Scores with and without an answer: AUROC ${report.abstention.auroc.toFixed(3)}</h3>${scorePlot(best(answered), best(unanswered))}
`;
}
