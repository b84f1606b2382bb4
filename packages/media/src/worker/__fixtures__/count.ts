import { serveJobs } from '../serve-jobs.ts';

// A worker that reports which of its jobs it does.
let jobCount = 0;
serveJobs(async () => {
  jobCount += 1;
  return { status: 'ready', mimeType: 'application/pdf', facts: { pages: jobCount }, warnings: [] };
});
