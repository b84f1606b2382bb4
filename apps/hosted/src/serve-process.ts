import { Fault } from '@attache/contracts';
import { type DependencyCheck, serveOperations } from '@attache/process-setup';
import type { Telemetry } from '@attache/telemetry/setup';
import type { Stops } from './compose-process.ts';

export type Metrics = Pick<Telemetry, 'renderMetrics'>;

type Serving = { opsUrl: string /** From now on `/readyz` may say yes. */; start(): void; startDraining(): void };

/** Serves health and metrics of one process, from before its service starts until after it has stopped. */
export async function serveProcess(
  address: { host: string; opsPort: number; notes?: readonly string[] },
  checks: Readonly<Record<string, DependencyCheck>>,
  telemetry: Metrics,
  stops: Stops,
): Promise<Serving> {
  let isStarted = false;
  const service = async () => {
    if (!isStarted) throw new Fault('SHUTTING_DOWN', 'The service is starting.', { retryable: true });
  };
  const operations = await serveOperations({
    host: address.host,
    port: address.opsPort,
    ...{ checks: { ...checks, service }, notes: address.notes },
    metrics: telemetry.renderMetrics,
  });
  stops.defer(() => operations.stop());
  return {
    opsUrl: operations.url,
    start() {
      isStarted = true;
    },
    startDraining: () => operations.startDraining(),
  };
}
