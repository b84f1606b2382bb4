import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { MediaPoolOptions } from './media-pool-options.ts';
import { findWorkerPid, isAlive, killWorker } from './spawn-worker.ts';
import { figuresOf } from './watch/worker-figures.ts';
import { startWorker } from './worker-process.ts';

export type WorkerSet = {
  /** A warm worker, or a new one. Throws as `startWorker` does. */
  take(signal: AbortSignal): Promise<ChildProcess>;
  /** Keeps a worker warm after a job, unless it is worn. */
  putBack(child: ChildProcess): Promise<void>;
  /**
   * Ends a worker that a file has cost, and starts the next one before the file's place is free. Otherwise its tenant would take the one that
   * another tenant's next file needs.
   */
  replace(child: ChildProcess, signal: AbortSignal): Promise<void>;
  /** Kills all of them; resolves when they are gone. */
  endAll(): Promise<void>;
};

/** The workers of a pool: started when first needed, kept warm until they are worn. */
export function createWorkerSet(options: MediaPoolOptions): WorkerSet {
  const workers = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const jobCounts = new WeakMap<ChildProcess, number>();

  function track(child: ChildProcess): void {
    workers.add(child);
    const forget = () => {
      workers.delete(child);
    };
    child.once('exit', forget);
    child.once('error', () => child.pid === undefined && forget());
  }

  function takeIdle(): ChildProcess | undefined {
    const child = idle.pop();
    return child === undefined || isAlive(child) ? child : takeIdle();
  }

  return {
    async take(signal) {
      return takeIdle() ?? (await startWorker(options, signal, track));
    },
    async putBack(child) {
      const jobCount = (jobCounts.get(child) ?? 0) + 1;
      jobCounts.set(child, jobCount);
      const isWorn =
        jobCount >= options.jobsPerWorker ||
        figuresOf(child, findWorkerPid(child)).residentBytes() > options.recycleBytes;
      if (isWorn) return endWorker(child);
      idle.push(child);
    },
    async replace(child, signal) {
      await endWorker(child);
      try {
        idle.push(await startWorker(options, signal, track));
      } catch {
        // The next job tries again and says so.
      }
    },
    async endAll() {
      await Promise.all([...workers].map(endWorker));
    },
  };
}

async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  killWorker(child);
  await ended;
}
