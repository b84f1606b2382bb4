import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Fault } from '@attache/contracts';
import type { MediaSandbox } from './exchange/media-sandbox.ts';

export type MediaPoolOptions = {
  /** Worker processes, and so jobs, at the same time; one more inspects for tenants that have none. Each works on one core. */
  workers: number;
  /** Resident memory of one worker beyond which it is killed. */
  memoryBytes: number;
  /** Jobs after which a worker is ended; the next one that is needed starts fresh. */
  jobsPerWorker: number;
  /** Resident memory after a job beyond which a worker is ended: what its decoders hold they never give back. */
  recycleBytes: number;
  /** Processor time of its worker after which an inspection ends as too costly. */
  processorTimeMs: number;
  /** Processor time of its worker after which a page of a document counts as one that cannot be drawn. */
  pageProcessorTimeMs: number;
  /** Processor time after which an inspection leaves the processors to everything else first, other inspections too. */
  yieldAfterMs: number;
  /** Time for one attempt at a variant other than a page, after which its worker is killed. */
  wallTimeMs: number;
  /** Time after which the worker of an inspection or of a page is killed as hung, which says nothing of the file: a busy machine is slow as well. */
  hangTimeMs: number;
  /** Time for a fresh worker to report that it is up. */
  startTimeMs: number;
  /** Pixels of an image, over all frames of an animation. More are refused from the header. */
  maxPixels: number;
  /** Absolute path of the program that a worker runs; another one where the services are bundled. */
  workerPath: string;
  /** Puts each worker into a sandbox; without it they see what their parent sees. The code that composes the process creates it. */
  sandbox?: MediaSandbox | undefined;
};

const mebibyte = 1024 * 1024;

export const defaultMediaPoolOptions: MediaPoolOptions = {
  workers: Math.min(4, availableParallelism()),
  memoryBytes: 512 * mebibyte,
  jobsPerWorker: 2_000,
  recycleBytes: 256 * mebibyte,
  processorTimeMs: 5_000,
  pageProcessorTimeMs: 10_000,
  yieldAfterMs: 1_000,
  wallTimeMs: 20_000,
  hangTimeMs: 120_000,
  startTimeMs: 15_000,
  maxPixels: 100_000_000,
  workerPath: fileURLToPath(new URL('../worker/main.ts', import.meta.url)),
};

const numbers = [
  'workers',
  'memoryBytes',
  'jobsPerWorker',
  'recycleBytes',
  'processorTimeMs',
  'pageProcessorTimeMs',
  'yieldAfterMs',
  'wallTimeMs',
  'hangTimeMs',
  'startTimeMs',
  'maxPixels',
] as const;

/** Completes the options with the defaults. Throws CONFIGURATION_INVALID for a number that is not a positive integer. */
export function completeOptions(options: Partial<MediaPoolOptions>): MediaPoolOptions {
  const complete = { ...defaultMediaPoolOptions, ...options };
  for (const name of numbers) {
    if (Number.isSafeInteger(complete[name]) && complete[name] > 0) continue;
    throw new Fault('CONFIGURATION_INVALID', `The media pool's ${name} must be a positive whole number.`);
  }
  return complete;
}
