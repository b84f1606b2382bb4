import type { WorkerJob, WorkerReply } from '../worker-protocol.ts';
import { inspectFile } from './inspect-file.ts';
import { makeVariant } from './make-variant.ts';

/** Does one job of the pool. */
export async function handleJob(job: WorkerJob): Promise<WorkerReply> {
  switch (job.task) {
    case 'inspect':
      return inspectFile(job);
    case 'make-variant':
      return makeVariant(job);
    default:
      return job satisfies never;
  }
}
