import { unavailable } from './sqlstate.ts';

/** A statement of PGlite cannot be interrupted, so whoever has waited this long for a turn is turned away instead. */
const turnTimeoutMs = 15_000;

/** One at a time, in the order of arrival. */
export class TurnQueue {
  #taken = false;
  #waiting: (() => void)[] = [];

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
      }, turnTimeoutMs);
      this.#waiting.push(enter);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
