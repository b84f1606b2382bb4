import { handleJob } from './handle-job.ts';
import { serveJobs } from './serve-jobs.ts';

serveJobs(handleJob);
