import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shareUsers } from '@attache/agent-process';
import type { MediaPoolOptions } from '@attache/media';
import { closeDataFolder } from '@attache/process-setup';
import { startProjector } from '@attache/projector';
import { startUpkeep } from '@attache/upkeep';
import { createStops, openProcess, type Stops } from './compose-process.ts';
import type { ProjectorConfig } from './config.ts';
import { openMedia } from './media/open-media.ts';
import { drain, type RunningService } from './running-service.ts';
import { type Metrics, serveProcess } from './serve-process.ts';

const UPKEEP_PERIOD_MS = 10 * 60_000;

/** `limits`: the real ones without them, which no setting changes. */
type LimitedConfig = ProjectorConfig & {
  limits?: { media?: Pick<Partial<MediaPoolOptions>, 'processorTimeMs'> | undefined } | undefined;
};

/** Starts one projector process of the hosted stack. It also collects what nobody uses. */
export async function startHostedProjector(config: LimitedConfig, telemetry: Metrics): Promise<RunningService> {
  const stops = createStops();
  try {
    return await compose(config, telemetry, stops);
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

async function compose(config: LimitedConfig, telemetry: Metrics, stops: Stops) {
  const {
    checks,
    relay: _relay,
    doorbells: _bells,
    link: _link,
    ...ports
  } = await openProcess(config, 'projector', stops);
  const serving = await serveProcess(config, checks, telemetry, stops);
  const { db, blobs, log } = ports;
  const upkeep = startUpkeep({
    ...{ db, blobs, log, periodMs: UPKEEP_PERIOD_MS },
    sweepMultiparts: (olderThanMs: number) => blobs.sweepMultiparts({ olderThanMs }),
  });
  stops.defer(() => upkeep.stop());
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await closeDataFolder(config.dataDir);
  const exchangeFolder = join(config.dataDir, `media-${process.pid}`);
  const mediaUser = config.agentUsers && shareUsers(config.agentUsers).media;
  const media = await openMedia(
    { ...config, media: { ...config.media, ...config.limits?.media }, exchangeFolder, mediaUser },
    log,
    stops,
  );
  const projector = await startProjector({
    ...ports,
    media,
    // One folder per process: several on one machine share nothing.
    workFolder: join(config.dataDir, `projector-${process.pid}`),
    concurrency: config.concurrency,
  });
  stops.defer(() => projector.stop());
  serving.start();
  return { opsUrl: serving.opsUrl, stop: () => drain(serving, stops) };
}
