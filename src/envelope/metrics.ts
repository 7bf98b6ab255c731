import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type FailureCode, failureCodes } from '../failure.ts';

/** What a sample says of a request. */
export interface Sample {
  readonly envelope: string;
  verb?: string;
  code?: FailureCode;
}

export interface Metrics {
  observe(sample: Sample, httpStatus: number, seconds: number): void;
  render(): Promise<{ contentType: string; text: string }>;
}

/** A registry of its own, so that two apps in one process never share or clash. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['verb', 'envelope', 'status'] as const;
  const requests = new Counter({
    name: 'kneeboard_requests_total',
    help: 'Requests answered. A fault inside an MCP result counts under the status that REST would have sent.',
    labelNames,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'kneeboard_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });

  return {
    observe({ envelope, verb, code }, httpStatus, seconds) {
      const status = code === undefined ? httpStatus : failureCodes[code].status;
      const labels = { verb: verb ?? 'none', envelope, status: String(status) };
      requests.inc(labels);
      durations.observe(labels, seconds);
    },
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
