import { STARTED, type WorkerJob, type WorkerReply } from '../worker-protocol.ts';

/**
 * Works through the pool's jobs, one at a time. An error of the machine (ENOSPC) is a reply; any other error ends the process, which the
 * pool sees as the file's doing.
 */
export function serveJobs(handle: (job: WorkerJob) => Promise<WorkerReply>): void {
  const answer = async (job: WorkerJob) => {
    const reply = await handle(job).catch(describeMachineError);
    process.send?.(reply);
  };
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (job: WorkerJob) => void answer(job));
  process.send?.(STARTED);
}

function describeMachineError(error: unknown): WorkerReply {
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error;
  if (isSystemError && typeof error.code === 'string') return { status: 'fault', errno: error.code };
  throw error;
}
