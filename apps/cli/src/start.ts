import { redactText } from '@attache/domain';
import { readStandaloneConfig, type StackLimits, startStandalone } from '@attache/standalone';
import { startTelemetry } from '@attache/telemetry/setup';
import { onReloadSignal } from './process/on-reload-signal.ts';
import { waitForSignal } from './process/wait-for-signal.ts';
import { sayStack } from './say-stack.ts';

/** Starts the embedded stack, says where it is, and keeps it running until a signal. */
export async function start(limits?: StackLimits): Promise<void> {
  const config = { ...readStandaloneConfig(), limits };
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`);
  const telemetry = await startTelemetry({
    serviceName: 'attache',
    isExporting: config.isExportingTraces,
    hasMetrics: true,
    redact: redactText,
  });
  const stack = await startStandalone(config, telemetry);
  onReloadSignal(stack.reloadProfiles);
  const signal = waitForSignal();
  const lines = [
    `Attaché ready on ${stack.url}`,
    `Key file: ${stack.keyFile}`,
    `Docs: ${stack.url}/docs`,
    `Operations: ${stack.opsUrl}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  sayStack(config);
  for (const notice of stack.notices) process.stderr.write(`${notice}\n`);
  await signal;
  process.stderr.write('Stopping: running turns get a moment to end.\n');
  await stack.stop();
  await telemetry.stop();
}
