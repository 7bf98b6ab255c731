import { formatTable } from '../table.ts';
import { isSignificant, pairedDifference } from './bootstrap.ts';
import { legs } from './legs.ts';
import { perQuery, type Report } from './report.ts';

/** What changed from an older report, over the questions that both have, and whether that is more than chance. */
export function compareReports(older: Report, newer: Report): string {
  const rows: string[][] = [];
  for (const [name, set] of Object.entries(newer.sets)) {
    const before = older.sets[name];
    if (before === undefined) continue;
    const places = new Map(before.queries.ids.map((id, at) => [id, at]));
    const common = set.queries.ids.flatMap((id, at) => {
      const place = places.get(id);
      return place === undefined ? [] : [{ at, place }];
    });
    for (const leg of legs) {
      for (const metric of perQuery) {
        const now = set.queries[metric][leg];
        const then = before.queries[metric][leg];
        if (now === undefined || then === undefined || common.length === 0) continue;
        const difference = pairedDifference(common.map(({ at, place }) => (now[at] ?? 0) - (then[place] ?? 0)));
        const changed = common.filter(({ at, place }) => now[at] !== then[place]).length;
        rows.push([
          name,
          leg,
          metric,
          String(common.length),
          String(changed),
          signed(difference.mean),
          `[${difference.ci95.map(signed).join(' ')}]`,
          difference.p.toFixed(3),
          isSignificant(difference) ? (difference.mean > 0 ? 'better' : 'worse') : changed === 0 ? 'same' : 'not significant',
        ]);
      }
    }
  }
  const only = (one: Report, other: Report) => Object.keys(one.sets).filter((name) => !(name in other.sets));
  return [
    `Compared with profile ${older.profile}, model ${older.model}:`,
    formatTable([['set', 'leg', 'figure', 'questions', 'changed', 'difference', '95 %', 'p', ''], ...rows]),
    ...(only(older, newer).length > 0 ? [`Not run this time: ${only(older, newer).join(', ')}.`] : []),
    ...(only(newer, older).length > 0 ? [`Not run then: ${only(newer, older).join(', ')}.`] : []),
  ].join('\n');
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}
