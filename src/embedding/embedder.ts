/** A text's role: some models embed a question and a passage differently. */
export type TextRole = 'query' | 'passage';

/** What a model says of itself; `models/<id>/manifest.json`. */
export interface ModelManifest {
  /** Also the folder below `models/`, for example `kneeboard/static-20k-512`. */
  id: string;
  dimensions: number;
  pooling: 'cls' | 'mean';
  /** True: vectors are scaled to unit length. False: the model's own lengths carry meaning; similarity is the dot product either way. */
  normalize: boolean;
  maxTokens: number;
  /** Texts given to the model at once. A batch cannot be interrupted, so a heavy model takes fewer. */
  maxBatch: number;
  /** File below the model's folder → sha256, lower-case hex. */
  sha256: Record<string, string>;
  licence: string;
  /** Similarities (dot products) of this model only. */
  thresholds: {
    /** Two texts above this say the same thing. */
    duplicate: number;
    /** A passage below this does not bear on a query. */
    relevance: number;
  };
}

/** Turns texts into vectors. Similarity of two vectors is their dot product. */
export interface Embedder {
  readonly manifest: ModelManifest;
  /**
   * One vector of `manifest.dimensions` finite numbers for each text, in order; all zeros for a text the model knows nothing of.
   * @throws Failure `dependency_unavailable` when the model cannot answer or its queue is full.
   */
  embed(texts: readonly string[], role: TextRole): Promise<Float32Array[]>;
  close(): Promise<void>;
}
