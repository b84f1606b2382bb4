import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { handleJob } from '../handle-job.ts';
import { serveJobs } from '../serve-jobs.ts';

// A sniffer that never returns (A25), for one file only. It reports next to the file that it has begun.
serveJobs(async (job) => {
  if (basename(job.path) !== 'spin') return handleJob(job);
  writeFileSync(`${job.path}.begun`, '');
  for (;;);
});
