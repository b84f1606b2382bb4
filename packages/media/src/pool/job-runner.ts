import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Fault } from '@attache/contracts';
import type { WorkerJob } from '../worker-protocol.ts';
import type { AnswerLimits, WorkerDeath } from './await-answer.ts';
import type { MediaPoolOptions } from './media-pool-options.ts';
import { findWorkerPid, isAlive, killWorker } from './spawn-worker.ts';
import { createTurns } from './turns/turns.ts';
import { readResidentBytes } from './watch/resident-memory.ts';
import { type JobResult, runJob, startWorker } from './worker-process.ts';

export type JobRunner = {
  /**
   * Runs a job on a warm worker when its tenant's turn comes, and once more on a fresh one when that dies, unless it took too long: a
   * second attempt would take as long. Throws the signal's reason, or a Fault.
   */
  run(job: WorkerJob, asker: { tenantId: string; signal: AbortSignal }): Promise<JobResult>;
  /** Gives up all jobs (SHUTTING_DOWN) and kills all workers; resolves when they are gone. */
  close(): Promise<void>;
};

/** Keeps the workers: started when first needed, kept warm until they are worn, never more than the turns give places. */
export function createJobRunner(options: MediaPoolOptions): JobRunner {
  const turns = createTurns(options.workers);
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

  async function runOnce(job: WorkerJob, tenantId: string, signal: AbortSignal): Promise<JobResult> {
    const child = takeIdleWorker() ?? (await startWorker(options, signal, track));
    let usedMs = 0;
    const onUsed = (processorMs: number) => {
      usedMs = processorMs;
      turns.charge(tenantId, processorMs);
    };
    const limits = { ...limitsOf(options, job), signal, onUsed };
    const result = await runJob(child, job, limits).catch((error: unknown) => {
      killWorker(child);
      throw error;
    });
    if (result.status === 'died') await addIdleWorker(signal);
    // Without a right that services do not have, a priority that was lowered cannot be raised again.
    else if (usedMs > (limits.yieldAfterMs ?? Infinity)) await endWorker(child).then(() => addIdleWorker(signal));
    else await putBack(child);
    return result;
  }

  // Whose file has cost a worker waits for the next one. Otherwise it would take the one that another tenant's next file needs.
  async function addIdleWorker(signal: AbortSignal): Promise<void> {
    try {
      idle.push(await startWorker(options, signal, track));
    } catch {
      // The next job tries again and says so.
    }
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
    async run(job, { tenantId, signal }) {
      const ending = AbortSignal.any([signal, closing.signal]);
      return turns.use({ tenantId, task: job.task, signal: ending }, async () => {
        const first = await runOnce(job, tenantId, ending);
        if (first.status === 'replied' || (job.task === 'inspect' && wasEndedByTime(first.death))) return first;
        return runOnce(job, tenantId, ending);
      });
    },
    async close() {
      closing.abort(new Fault('SHUTTING_DOWN', 'The media pool is stopping. Try again later.', { retryable: true }));
      await Promise.all([...workers].map(endWorker));
    },
  };
}

const wasEndedByTime = ({ cause }: WorkerDeath) => cause === 'processor-time' || cause === 'wall-time';

function limitsOf(options: MediaPoolOptions, { task }: WorkerJob): Omit<AnswerLimits, 'signal' | 'onUsed'> {
  const { memoryBytes, processorTimeMs, yieldAfterMs, wallTimeMs, hangTimeMs } = options;
  return task === 'inspect'
    ? { memoryBytes, processorTimeMs, yieldAfterMs, wallTimeMs: hangTimeMs }
    : { memoryBytes, wallTimeMs };
}

async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  killWorker(child);
  await ended;
}
