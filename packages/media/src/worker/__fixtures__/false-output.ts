import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import type { WorkerReply } from '../../worker-protocol.ts';
import { serveJobs } from '../serve-jobs.ts';

// A worker that was taken over: in the place of a variant it leaves what its file says.
serveJobs(async (job): Promise<WorkerReply> => {
  if (job.task !== 'make-variant') throw new Error('it makes variants alone');
  const { falsehood, secret } = JSON.parse(readFileSync(job.path, 'utf8'));
  const { outputPath } = job;
  if (falsehood === 'huge') truncateSync(outputPath, 1e12);
  else rmSync(outputPath);
  if (falsehood === 'link') symlinkSync(secret, outputPath);
  if (falsehood === 'folder') mkdirSync(outputPath);
  return { status: 'made', mimeType: 'image/png', sizeBytes: 9, sha256: '0'.repeat(64), warnings: [] };
});
