import { Fault } from '@attache/contracts';
import type { WorkerJob } from '../worker-protocol.ts';
import type { AnswerLimits, WorkerDeath } from './await-answer.ts';
import type { MediaPoolOptions } from './media-pool-options.ts';
import { killWorker } from './spawn-worker.ts';
import { createTurns, type Turn } from './turns/turns.ts';
import { type JobResult, runJob } from './worker-process.ts';
import { createWorkerSet } from './worker-set.ts';

export type JobRunner = {
  /**
   * Runs a job on a warm worker when its tenant's turn comes, and again on a new one if that worker dies, unless it took too long: a second attempt would take
   * as long. Throws the signal's reason, or a Fault.
   */
  run(job: WorkerJob, asker: Omit<Turn, 'task'>): Promise<JobResult>;
  /** Gives up all jobs (SHUTTING_DOWN) and kills all workers; resolves when they are gone. */
  close(): Promise<void>;
};

/** Gives jobs to workers, never more of them than the turns give places. */
export function createJobRunner(options: MediaPoolOptions): JobRunner {
  const turns = createTurns(options.workers);
  const closing = new AbortController();
  const workers = createWorkerSet(options);

  async function runOnce(job: WorkerJob, tenantId: string, signal: AbortSignal): Promise<JobResult> {
    const child = await workers.take(signal);
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
    // Without a right that services do not have, a priority that was lowered cannot be raised again.
    const isLowered = usedMs > (limits.yieldAfterMs ?? Infinity);
    if (result.status === 'died' || isLowered) await workers.replace(child, signal);
    else await workers.putBack(child);
    return result;
  }

  return {
    async run(job, { tenantId, signal, yields }) {
      const ending = AbortSignal.any([signal, closing.signal]);
      return turns.use({ tenantId, task: job.task, signal: ending, yields }, async () => {
        const first = await runOnce(job, tenantId, ending);
        if (first.status === 'replied' || (isTimed(job) && wasEndedByTime(first.death))) return first;
        return runOnce(job, tenantId, ending);
      });
    },
    async close() {
      closing.abort(new Fault('SHUTTING_DOWN', 'The media pool is stopping. Try again later.', { retryable: true }));
      await workers.endAll();
    },
  };
}

const wasEndedByTime = ({ cause }: WorkerDeath) => cause === 'processor-time' || cause === 'wall-time';

/** Whether a job has a limit of processor time: beyond it, its file is at fault and no other attempt helps. */
const isTimed = (job: WorkerJob): boolean => job.task === 'inspect' || isPage(job);

/** A page of a document may be made to be drawn forever. */
export const isPage = (job: WorkerJob): boolean => job.task === 'make-variant' && job.recipe.purpose === 'page-image';

function limitsOf(options: MediaPoolOptions, job: WorkerJob): Omit<AnswerLimits, 'signal' | 'onUsed'> {
  const { memoryBytes, processorTimeMs, pageProcessorTimeMs, yieldAfterMs, wallTimeMs, hangTimeMs } = options;
  if (job.task === 'inspect') return { memoryBytes, processorTimeMs, yieldAfterMs, wallTimeMs: hangTimeMs };
  return isPage(job)
    ? { memoryBytes, processorTimeMs: pageProcessorTimeMs, wallTimeMs: hangTimeMs }
    : { memoryBytes, wallTimeMs };
}
