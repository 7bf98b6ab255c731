import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Starts a process from a module of ours, named by its source as for `startWorker`. It gets one argument, no
 * environment (the secrets in ours are none of its business) and a channel for structured messages.
 */
export function startProcess(url: URL, argument: string): ChildProcess {
  const fromSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(fromSource ? url : url.href.replace(/\.ts$/, '.js'));
  const loader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return fork(file, [argument], {
    execArgv: fromSource ? ['--import', loader()] : [],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
