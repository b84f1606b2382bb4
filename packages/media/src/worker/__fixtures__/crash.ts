import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { serveJobs } from '../serve-jobs.ts';

// A decoder that is killed by a file (A26), after it has begun to write. `crash-once` does it to the first worker only.
serveJobs(async (job) => {
  const name = basename(job.path);
  if (job.task === 'make-variant' && name === 'crash') writeFileSync(job.outputPath, 'half a variant');
  if (name === 'crash' || (name === 'crash-once' && isFirst(`${job.path}.seen`))) process.kill(process.pid, 'SIGSEGV');
  const { handleJob } = await import('../handle-job.ts');
  return handleJob(job);
});

function isFirst(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
