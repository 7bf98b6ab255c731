/** Bounds on what is read of a request; `server/discover` reports them. */
export const bounds = {
  bodyBytes: 1024 * 1024,
  /** Names and values of all headers together. */
  headerBytes: 16 * 1024,
  /** Levels of nesting in an input. */
  depth: 32,
  /** Until the headers, and until the whole request, must have arrived. */
  headersMs: 15_000,
  requestMs: 60_000,
} as const;
