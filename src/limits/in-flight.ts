import { Failure } from '../failure.ts';

/** A bounded number of requests at work. */
export interface InFlight {
  /** @returns what gives the place back; calling it again does nothing. @throws Failure `dependency_unavailable` when all are taken. */
  enter(): () => void;
}

/** Beyond the bound a request is refused at once: a queue would answer everyone late instead of most in time. */
export function createInFlight({ limit }: { limit: number }): InFlight {
  let taken = 0;
  return {
    enter() {
      if (taken >= limit)
        throw new Failure('dependency_unavailable', 'The service is at work on as many requests as it takes. Try again shortly.', { details: { limit } });
      taken += 1;
      let left = false;
      return () => {
        if (!left) taken -= 1;
        left = true;
      };
    },
  };
}
