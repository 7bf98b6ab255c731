import { SingleBar } from 'cli-progress';

export interface Progress {
  step(by?: number): void;
  done(): void;
}

/** A bar on a terminal, nothing elsewhere: a log file or a pipe gets only results. */
export function startProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, done: () => undefined };
  const bar = new SingleBar({ format: `${label} {bar} {value}/{total} {eta_formatted}`, stream: process.stderr, clearOnComplete: true, hideCursor: true });
  bar.start(total, 0);
  return { step: (by = 1) => bar.increment(by), done: () => bar.stop() };
}
