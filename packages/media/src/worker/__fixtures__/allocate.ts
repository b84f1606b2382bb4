import { basename } from 'node:path';
import { serveJobs } from '../serve-jobs.ts';

// A decoder that takes memory without end, for one file only.
serveJobs(async (job) => {
  const held: Buffer[] = [];
  while (basename(job.path) === 'allocate') held.push(Buffer.alloc(4 * 1024 * 1024, 1));
  const { handleJob } = await import('../handle-job.ts');
  return handleJob(job);
});
