import { Command } from 'commander';
import { injectionCommand } from './injection/index.ts';
import { latencyCommand } from './latency/index.ts';
import { preflightCommand } from './preflight/index.ts';
import { rankingCommand } from './ranking/index.ts';

/** `npm run bench -- <name> …`: each bench is a command of its own. */
const program = new Command('bench').description('Measures Kneeboard. Every bench prints a table and can write its figures as JSON.').showHelpAfterError();

program.addCommand(latencyCommand()).addCommand(rankingCommand()).addCommand(preflightCommand()).addCommand(injectionCommand());

await program.parseAsync();
