import { redactText } from '@attache/domain';
import { startTelemetry } from '@attache/telemetry/setup';
import { startOtlpReceiver } from '@attache/test-harness';

/** Has all that a stack in this process tells of itself come to the test. */
export async function startWatching() {
  const otlp = await startOtlpReceiver();
  const lines: string[] = [];
  const telemetry = await startTelemetry({
    serviceName: 'attache',
    isExporting: true,
    exportUrl: otlp.tracesUrl,
    hasMetrics: true,
    redact: redactText,
  });
  const logTo = { write: (line: string) => void lines.push(line) };
  return {
    otlp,
    telemetry,
    logs: () => lines.join(''),
    surroundings: { renderMetrics: telemetry.renderMetrics, logTo },
  };
}
