import { inspectFile } from '../kinds/inspect-file.ts';
import { makeVariant } from '../kinds/make-variant.ts';
import type { WorkerJob, WorkerReply } from '../worker-protocol.ts';

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
