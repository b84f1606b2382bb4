import { redactText } from '@attache/domain';
import { readGatewayConfig, readIngestConfig, readProjectorConfig } from '@attache/hosted/config';
import type { RunningService } from '@attache/hosted/running-service';
import type { StackLimits } from '@attache/standalone';
import { startTelemetry, type Telemetry } from '@attache/telemetry/setup';
import type { HostedService } from './hosted-services.ts';
import { onReloadSignal } from './process/on-reload-signal.ts';
import { waitForSignal } from './process/wait-for-signal.ts';

type Start = (telemetry: Telemetry) => Promise<RunningService>;

// Each service's code is loaded for that service alone: ingest never loads what decodes media.
const starts: Record<
  HostedService,
  (limits?: StackLimits) => { isExportingTraces: boolean; warnings: string[]; start: Start }
> = {
  ingest(limits) {
    const config = { ...readIngestConfig(), limits };
    const start: Start = async (telemetry) =>
      (await import('@attache/hosted/ingest')).startHostedIngest(config, telemetry);
    return { ...config, start };
  },
  projector(limits) {
    const config = { ...readProjectorConfig(), limits };
    const start: Start = async (telemetry) =>
      (await import('@attache/hosted/projector')).startHostedProjector(config, telemetry);
    return { ...config, start };
  },
  'runner-gateway'(limits) {
    const config = { ...readGatewayConfig(), limits };
    const start: Start = async (telemetry) =>
      (await import('@attache/hosted/runner-gateway')).startHostedGateway(config, telemetry);
    return { ...config, start };
  },
};

/** Starts one service of the hosted stack, says where it is, and keeps it running until a signal. */
export async function startHosted(service: HostedService, limits?: StackLimits): Promise<void> {
  const { warnings, isExportingTraces, start } = starts[service](limits);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const telemetry = await startTelemetry({
    serviceName: `attache-${service}`,
    isExporting: isExportingTraces,
    hasMetrics: true,
    redact: redactText,
  });
  const running = await start(telemetry);
  if (running.reloadProfiles !== undefined) onReloadSignal(running.reloadProfiles);
  const signal = waitForSignal();
  const ready = running.url === undefined ? `Attaché ${service} ready` : `Attaché ready on ${running.url}`;
  process.stdout.write(`${ready}\nOperations: ${running.opsUrl}\n`);
  await signal;
  process.stderr.write('Stopping: what is in work gets a moment to end.\n');
  await running.stop().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    // As a second signal does: something does not end, and keeps the process.
    process.kill(process.pid, 'SIGTERM');
  });
  await telemetry.stop();
}
