import { basename } from 'node:path';
import { handleJob } from '../handle-job.ts';
import { serveJobs } from '../serve-jobs.ts';

// A worker that is stopped from outside: alive, silent, and without use of the processor.
serveJobs(async (job) => {
  if (basename(job.path) === 'halt') process.kill(process.pid, 'SIGSTOP');
  return handleJob(job);
});
