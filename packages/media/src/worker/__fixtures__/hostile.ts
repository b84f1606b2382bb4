import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { WorkerReply } from '../../worker-protocol.ts';
import { serveJobs } from '../serve-jobs.ts';

// A worker that was taken over: it tries what its file names, and answers in `pages` how many of them it reached, and one more.
serveJobs(async ({ path }): Promise<WorkerReply> => {
  const { secret, folder, port, parentPid } = JSON.parse(readFileSync(path, 'utf8'));
  const attempts: (() => unknown)[] = [
    () => readFileSync(secret),
    () => readdirSync(folder),
    () => readFileSync(`/proc/${parentPid}/environ`),
    () => process.kill(parentPid, 0),
    () => appendFileSync(path, ' '),
    () => appendFileSync('/etc/left-by-hostile', ' '),
    () => readFileSync('/etc/shadow'),
    () => reachPort(port),
  ];
  let pages = 1;
  for (const attempt of attempts) {
    try {
      await attempt();
      pages += 1;
    } catch {
      // Refused.
    }
  }
  return { status: 'ready', mimeType: 'application/pdf', facts: { pages }, warnings: [] };
});

function reachPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    connect(port, '127.0.0.1').once('connect', resolve).once('error', reject);
  });
}
