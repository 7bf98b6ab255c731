import { Command } from 'commander';
import { readFlags } from '../../src/screening/instruction-like.ts';
import { formatTable } from '../table.ts';
import { measure, mistakes, readCases } from './cases.ts';

const rounds = 20;

export function injectionCommand(): Command {
  return new Command('injection')
    .description('recall and false positives of the mark for instruction-like texts, on both halves of a labelled set, and its cost')
    .option('--mistakes', 'list what is taken wrongly, of the half that phrases are tuned on')
    .action(run);
}

function run({ mistakes: list }: { mistakes?: boolean }): void {
  const cases = readCases();
  const rows = (['dev', 'held-out'] as const).map((half) => {
    const { caught, instructionLike, mistaken, ordinary } = measure(cases, half);
    return [half, `${caught}/${instructionLike}`, (caught / instructionLike).toFixed(3), `${mistaken}/${ordinary}`, (mistaken / ordinary).toFixed(3)];
  });
  process.stdout.write(`${formatTable([['half', 'caught', 'recall', 'mistaken', 'false positives'], ...rows])}\n`);
  const started = performance.now();
  for (let round = 0; round < rounds; round++) for (const { text } of cases) readFlags(text);
  process.stdout.write(`${((performance.now() - started) / rounds / cases.length).toFixed(3)} ms per text\n`);
  if (list) for (const { id, label, text } of mistakes(cases)) process.stdout.write(`${id} (${label}): ${JSON.stringify(text)}\n`);
}
