import type { Report, SetRun } from '../report.ts';

export function renderPage(_report: Report, _runs: readonly SetRun[]): string {
  return '';
}
