import { unavailable } from './sqlstate.ts';

/** One at a time, in the order of arrival. */
export class TurnQueue {
  readonly #timeoutMs: number;
  #taken = false;
  #waiting: (() => void)[] = [];

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** @throws Failure when the turn has not come within the time. */
  async enter(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== enter);
        reject(unavailable('The embedded database is busy.'));
      }, this.#timeoutMs);
      this.#waiting.push(enter);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
