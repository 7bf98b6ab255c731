import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { injectionCommand } from './injection/index.ts';
import { latencyCommand } from './latency/index.ts';
import { rankingCommand } from './ranking/index.ts';

/** `npm run bench -- <name> …`: each bench is a command of its own. */
const program = new Command('bench').description('Measures Kneeboard. Every bench prints a table and can write its figures as JSON.').showHelpAfterError();

program.addCommand(latencyCommand()).addCommand(rankingCommand()).addCommand(injectionCommand());

const preflight = new URL('./preflight/index.ts', import.meta.url);
if (existsSync(preflight)) {
  const { preflightCommand } = (await import(preflight.href)) as { preflightCommand(): Command };
  program.addCommand(preflightCommand());
}

await program.parseAsync();
