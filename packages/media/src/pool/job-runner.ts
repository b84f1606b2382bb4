import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Fault } from '@attache/contracts';
import type { WorkerJob } from '../worker-protocol.ts';
import type { MediaPoolOptions } from './media-pool-options.ts';
import { readResidentBytes } from './resident-memory.ts';
import { createSlots } from './slots.ts';
import { findWorkerPid, isAlive, killWorker } from './spawn-worker.ts';
import { type JobResult, runJob, startWorker } from './worker-process.ts';

export type JobRunner = {
  /** Runs a job on a warm worker, and once more on a fresh one when that dies. Throws the signal's reason, or a Fault. */
  run(job: WorkerJob, signal: AbortSignal): Promise<JobResult>;
  /** Gives up all jobs (SHUTTING_DOWN) and kills all workers; resolves when they are gone. */
  close(): Promise<void>;
};

/** Keeps the workers: started when first needed, kept warm until they are worn, never more than `options.workers`. */
export function createJobRunner(options: MediaPoolOptions): JobRunner {
  const slots = createSlots(options.workers);
  const closing = new AbortController();
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

  function takeIdleWorker(): ChildProcess | undefined {
    const child = idle.pop();
    return child === undefined || isAlive(child) ? child : takeIdleWorker();
  }

  async function runOnce(job: WorkerJob, signal: AbortSignal): Promise<JobResult> {
    const child = takeIdleWorker() ?? (await startWorker(options, signal, track));
    const result = await runJob(child, job, { ...options, signal }).catch((error: unknown) => {
      killWorker(child);
      throw error;
    });
    if (result.status === 'replied') await putBack(child);
    return result;
  }

  async function putBack(child: ChildProcess): Promise<void> {
    const jobCount = (jobCounts.get(child) ?? 0) + 1;
    jobCounts.set(child, jobCount);
    if (jobCount >= options.jobsPerWorker || readResidentBytes(findWorkerPid(child)) > options.recycleBytes) {
      return endWorker(child);
    }
    idle.push(child);
  }

  return {
    async run(job, signal) {
      const ending = AbortSignal.any([signal, closing.signal]);
      return slots.use(ending, async () => {
        const first = await runOnce(job, ending);
        return first.status === 'replied' ? first : runOnce(job, ending);
      });
    },
    async close() {
      closing.abort(new Fault('SHUTTING_DOWN', 'The media pool is stopping. Try again later.', { retryable: true }));
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
