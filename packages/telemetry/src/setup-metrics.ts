import { metrics } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { observeProcess } from './observe.ts';

/** Series of one metric. What is above goes to one series with `otel_metric_overflow`: a label that grows is a fault of ours. */
export const MAX_SERIES = 500;
/** Limit for a gauge's callback; if it is too slow, /metrics comes without that gauge. */
const COLLECT_TIMEOUT_MS = 2_000;

export type RunningMetrics = { render(): Promise<string>; stop(): Promise<void> };

/** Starts the metrics SDK. It is read by `render`, in the Prometheus text format; no port is opened. */
export function startMetrics(resource: Resource): RunningMetrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer('', false, undefined, false, true);
  const provider = new MeterProvider({
    resource,
    readers: [reader],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }],
  });
  metrics.setGlobalMeterProvider(provider);
  const stopObserving = observeProcess();
  return {
    async render() {
      const { resourceMetrics } = await reader.collect({ timeoutMillis: COLLECT_TIMEOUT_MS });
      return serializer.serialize(resourceMetrics);
    },
    async stop() {
      stopObserving();
      metrics.disable();
      await provider.shutdown();
    },
  };
}
