import type { WorkerJob } from '../../worker-protocol.ts';

/** The folders through which a worker in a sandbox gets a file and returns one. */
export type ExchangeFolders = { inFolder: string; outFolder: string };

export type WorkerUser = { uid: number; gid: number };

/** How workers are started in a sandbox. The program that runs in it is `[process.execPath, workerPath]`. */
export type MediaSandbox = {
  /** Made and emptied by the pool; on the disk of the files that are inspected, else these are copied. */
  exchangeFolder: string;
  compose(folders: ExchangeFolders, descriptors: { seccomp: number; status: number }): string[];
  filter: Buffer;
  /** The user as which workers run outside; undefined: their parent's. Files are copied for that user, who may pass through `exchangeFolder`. */
  user?: WorkerUser | undefined;
  /** The worker's paths of the two folders. */
  places: ExchangeFolders;
};

/** A job as the worker knows it, and what to do when it has answered. */
export type LaidJob = { job: WorkerJob; take(): Promise<void> };

/** How a job's file gets into a worker's folders, and the one that it makes out of them. */
export type Layer = (job: WorkerJob) => Promise<LaidJob>;
