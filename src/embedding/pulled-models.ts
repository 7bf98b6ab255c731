import type { ModelManifest } from './embedder.ts';

export interface PulledModel {
  /** Branch, tag or commit of the model's repository on the hub. */
  revision: string;
  /** What is known of the files before they arrive. A file without a pin is recorded in the manifest as it came and checked from then on. */
  sha256: Readonly<Record<string, string>>;
  manifest: Omit<ModelManifest, 'id' | 'sha256'>;
}

/**
 * Models that may be fetched. Their thresholds are set from what is published of their cosines, not measured:
 * MiniLM spreads unrelated texts around 0.1, gte-small around 0.75.
 */
export const pulledModels: ReadonlyMap<string, PulledModel> = new Map([
  [
    'Xenova/all-MiniLM-L6-v2',
    {
      revision: '751bff37182d3f1213fa05d7196b954e230abad9',
      sha256: {
        'config.json': '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
        'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        'tokenizer_config.json': '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
        'onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      },
      manifest: {
        dimensions: 384,
        pooling: 'mean',
        normalize: true,
        maxTokens: 256,
        maxBatch: 8,
        licence: 'Apache-2.0',
        thresholds: { duplicate: 0.85, relevance: 0.25 },
      },
    },
  ],
  [
    'Xenova/gte-small',
    {
      revision: 'main',
      sha256: { 'onnx/model_quantized.onnx': '34440558460f3d0d05fda102ade2d2a0672d112dd8c05b540c8fc3bc2051db90' },
      manifest: {
        dimensions: 384,
        pooling: 'mean',
        normalize: true,
        maxTokens: 512,
        maxBatch: 8,
        licence: 'MIT',
        thresholds: { duplicate: 0.95, relevance: 0.8 },
      },
    },
  ],
]);
