import { rm } from 'node:fs/promises';
import { sandboxWorkers } from '@attache/agent-process';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { type MediaSettings, runtimeFolderOf } from '@attache/operations';
import type { Logger } from '@attache/telemetry';
import type { Stops } from '../compose-process.ts';

type Media = {
  media: MediaSettings;
  dataDir: string;
  /** This process's alone. */
  exchangeFolder: string;
  searchPath: string;
};

/** The pool of a process. Its workers see the files that they look at, and nothing else of the platform's, where a sandbox can be made. */
export async function openMedia(settings: Media, log: Logger, stops: Stops): Promise<MediaPool> {
  const { media, dataDir, exchangeFolder, searchPath } = settings;
  const { workerPath } = defaultMediaPoolOptions;
  const place = { workerPath, exchangeFolder, privateFolders: [dataDir, runtimeFolderOf(dataDir)], searchPath };
  const sandbox = await sandboxWorkers(place, (diagnostic) => log.warn({ diagnostic }, 'media.not_sandboxed'));
  const pool = createMediaPool({ ...media, sandbox });
  stops.defer(async () => {
    await pool[Symbol.asyncDispose]();
    await rm(exchangeFolder, { recursive: true, force: true });
  });
  return pool;
}
