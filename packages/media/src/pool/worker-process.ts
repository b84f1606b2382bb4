import type { ChildProcess } from 'node:child_process';
import { Fault } from '@attache/contracts';
import { STARTED, type WorkerJob, type WorkerReply } from '../worker-protocol.ts';
import { type AnswerLimits, awaitAnswer, type WorkerDeath } from './await-answer.ts';
import { type Exchange, openExchange } from './exchange/exchange.ts';
import type { MediaPoolOptions } from './media-pool-options.ts';
import { readReply } from './read-reply.ts';
import { killWorker, spawnWorker } from './spawn-worker.ts';

export type JobResult = { status: 'replied'; reply: WorkerReply } | { status: 'died'; death: WorkerDeath };

/**
 * Starts a worker and waits until it is up. `onSpawn` hands out the child at once, so that it can be ended meanwhile.
 * Throws MEDIA_WORKER_FAILED (retryable) when it does not come up: that is never a file's fault.
 */
export async function startWorker(
  options: MediaPoolOptions,
  signal: AbortSignal,
  onSpawn: (child: ChildProcess) => void,
): Promise<ChildProcess> {
  const exchange = options.sandbox && openExchange(options.sandbox);
  const child = spawnWorker(options, exchange);
  if (exchange !== undefined) keepExchange(child, exchange);
  onSpawn(child);
  const complaints = collectComplaints(child);
  const { memoryBytes, startTimeMs } = options;
  const answer = await awaitAnswer(child, { memoryBytes, wallTimeMs: startTimeMs, signal });
  if (answer.status === 'message' && answer.message === STARTED) return child;
  killWorker(child);
  const reason = answer.status === 'died' ? answer.death.reason : 'it does not speak the protocol';
  throw new Fault(
    'MEDIA_WORKER_FAILED',
    `A media worker could not be started because ${reason}. Check the installation.`,
    {
      retryable: true,
      cause: new Error(complaints()),
    },
  );
}

/** Gives the worker its job and waits for the reply, its death, or the signal (whose reason is thrown once the worker is gone). */
export async function runJob(child: ChildProcess, job: WorkerJob, limits: AnswerLimits): Promise<JobResult> {
  const exchange = exchanges.get(child);
  if (exchange === undefined) return await askWorker(child, job, limits);
  const laid = await exchange.lay(job);
  const result = await askWorker(child, laid.job, limits);
  if (result.status === 'replied') await laid.take();
  return result;
}

const exchanges = new WeakMap<ChildProcess, Exchange>();

/** They go with the worker. */
function keepExchange(child: ChildProcess, exchange: Exchange): void {
  exchanges.set(child, exchange);
  child.once('exit', exchange.remove).once('error', () => child.pid === undefined && exchange.remove());
}

async function askWorker(child: ChildProcess, job: WorkerJob, limits: AnswerLimits): Promise<JobResult> {
  child.send(job, () => {}); // a worker that cannot be reached exits, and that is waited for
  const answer = await awaitAnswer(child, limits);
  if (answer.status === 'died') return answer;
  const reply = readReply(answer.message);
  if (reply) return { status: 'replied', reply };
  killWorker(child);
  return { status: 'died', death: { cause: 'crash', reason: 'its answer was malformed' } };
}

// Only output from before the worker is up is kept; later output is about a file and must not be shown.
function collectComplaints(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('latin1')).slice(-2000);
  };
  child.stderr?.on('data', keep);
  return () => text;
}
