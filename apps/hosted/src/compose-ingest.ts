import { createNatsCounts } from '@attache/event-bus/jetstream';
import { type IngestLimits, type RunningIngest, startIngest } from '@attache/ingest';
import { ensureInitTenant } from '@attache/operator';
import { createLiveProfiles, readDescriptorLimit, reloadProfiles, shareDescriptors } from '@attache/process-setup';
import { PERMISSION_MODE } from './agents-config.ts';
import { createStops, openProcess, type Stops } from './compose-process.ts';
import type { IngestConfig } from './config.ts';
import { keepLease } from './keep-lease.ts';
import { drain, type RunningService } from './running-service.ts';
import { type Metrics, serveProcess } from './serve-process.ts';
import { watchBacklog } from './watch-backlog.ts';

/** `limits`: the real ones without them, which no setting changes. */
type LimitedConfig = IngestConfig & { limits?: IngestLimits | undefined };

/** Starts one ingest process of the hosted stack. */
export async function startHostedIngest(config: LimitedConfig, telemetry: Metrics): Promise<RunningService> {
  const stops = createStops();
  try {
    return await compose(config, telemetry, stops);
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

async function compose(config: LimitedConfig, telemetry: Metrics, stops: Stops) {
  const { checks, relay, link, bus: _bus, ...ports } = await openProcess(config, 'ingest', stops);
  if (config.initTenant) await ensureInitTenant({ db: ports.db, ...config.initTenant });
  const backlog = watchBacklog(relay, { maxWaiting: config.maxBacklog, log: ports.log });
  stops.defer(() => backlog.stop());
  const serving = await serveProcess(config, checks, telemetry, stops);
  const lease = await keepLease(ports.db, ports.log);
  stops.defer(() => lease.stop());
  const live = createLiveProfiles(config.profiles);
  const ingest: RunningIngest = await startIngest({
    ...ports,
    holder: lease.incarnation,
    sharedCounts: createNatsCounts(link),
    backlog,
    signingKeys: config.signingKeys,
    sealingKey: config.sealingKey,
    profiles: live.profiles,
    settings: {
      ...config,
      bounds: shareDescriptors(readDescriptorLimit()),
      basePath: '/v1',
      permissionMode: PERMISSION_MODE,
    },
  });
  stops.defer(() => ingest.stop());
  serving.start();
  const reload = () => reloadProfiles({ live, readProfiles: config.readProfiles, log: ports.log });
  return { url: ingest.url, opsUrl: serving.opsUrl, reloadProfiles: reload, stop: () => drain(serving, stops) };
}
