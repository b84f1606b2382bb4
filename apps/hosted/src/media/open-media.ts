import { rm } from 'node:fs/promises';
import { type AgentUser, sandboxWorkers } from '@attache/agent-process';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { type MediaSettings, runtimeFolderOf } from '@attache/process-setup';
import type { Logger } from '@attache/telemetry';
import type { Stops } from '../compose-process.ts';

type Media = {
  media: MediaSettings;
  dataDir: string;
  /** This process's alone. */
  exchangeFolder: string;
  searchPath: string;
  /** As whom workers run outside of their sandbox; undefined: as this process's own user. */
  mediaUser: AgentUser | undefined;
};

/** The pool of a process. Its workers see the files that they look at, and nothing else of the platform's, if a sandbox can be made. */
export async function openMedia(settings: Media, log: Logger, stops: Stops): Promise<MediaPool> {
  const { media, dataDir, exchangeFolder, searchPath, mediaUser: user } = settings;
  const { workerPath } = defaultMediaPoolOptions;
  const privateFolders = [dataDir, runtimeFolderOf(dataDir)];
  const place = { workerPath, exchangeFolder, privateFolders, searchPath, user };
  const sandbox = await sandboxWorkers(place, (notice, diagnostic) => log.warn({ diagnostic }, notice));
  const pool = createMediaPool({ ...media, sandbox });
  stops.defer(async () => {
    await pool[Symbol.asyncDispose]();
    await rm(exchangeFolder, { recursive: true, force: true });
  });
  return pool;
}
