import { closeSync, openSync, type Stats, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type AttachmentFacts, Fault, type Recipe } from '@attache/contracts';
import { describeCost, describeDeath, describeProblem } from '../describe-problem.ts';
import { judgeDeath, judgeInspection, readClaims } from '../judge-inspection.ts';
import type { VariantTask, WorkerReply } from '../worker-protocol.ts';
import type { WorkerDeath } from './await-answer.ts';
import { createJobRunner, isPage, type JobRunner } from './job-runner.ts';
import { completeOptions, type MediaPoolOptions } from './media-pool-options.ts';
import type { InspectOutcome, VariantOutcome } from './outcome.ts';

export type InspectJob = {
  path: string;
  /** Tenants take turns. Services always name the file's tenant; a command on a person's own files has no tenant. */
  tenantId?: string | undefined;
  /** Its ending distinguishes texts, as the declared type does. */
  name?: string | undefined;
  declaredMimeType?: string | undefined;
  sizeBytes: number;
  signal?: AbortSignal | undefined;
};

export type VariantJob = {
  path: string;
  /** Tenants take turns. Services always name the file's tenant; a command on a person's own files has no tenant. */
  tenantId?: string | undefined;
  /** Must not exist; it is made with mode 0600, and is gone again unless the outcome is `made`. */
  outputPath: string;
  mimeType: string;
  facts: AttachmentFacts;
  recipe: Recipe;
  signal?: AbortSignal | undefined;
  /** Nobody waits for it: jobs that do not yield come first, for every tenant. */
  yields?: boolean | undefined;
};

/**
 * Reads files that may be hostile in processes that can be killed. Both jobs throw the signal's reason when aborted, and a Fault:
 * INTERNAL for a file that is missing, empty or of another size, SHUTTING_DOWN after dispose, MEDIA_WORKER_FAILED when the machine fails.
 */
export interface MediaPool extends AsyncDisposable {
  /** Finds type, kind and facts of a file, by its content. */
  inspect(job: InspectJob): Promise<InspectOutcome>;
  /** Writes a derived form of an inspected file to `outputPath`. The same file and recipe give the same bytes (DL-72). */
  makeVariant(job: VariantJob): Promise<VariantOutcome>;
}

const never = new AbortController().signal;

/** Creates the pool; no worker starts before the first job. Throws CONFIGURATION_INVALID. */
export function createMediaPool(options: Partial<MediaPoolOptions> = {}): MediaPool {
  const { maxPixels, ...complete } = completeOptions(options);
  const runner = createJobRunner({ ...complete, maxPixels });
  return {
    inspect: (job) => inspect(runner, job, maxPixels),
    makeVariant: (job) => makeVariant(runner, job, maxPixels),
    [Symbol.asyncDispose]: () => runner.close(),
  };
}

async function inspect(runner: JobRunner, job: InspectJob, maxPixels: number): Promise<InspectOutcome> {
  const { sizeBytes, tenantId = '', signal = never } = job;
  const path = resolve(job.path);
  requireFile(path, sizeBytes);
  const asker = { tenantId, signal };
  const result = await runner.run({ task: 'inspect', path, sizeBytes, maxPixels, ...readClaims(job) }, asker);
  if (result.status === 'died') {
    if (result.death.cause === 'wall-time') throw describeHang(result.death);
    return judgeDeath(result.death, await readHead(path), job);
  }
  const { reply } = result;
  if (reply.status === 'ready' || reply.status === 'rejected') return judgeInspection(reply, job.declaredMimeType);
  throw describeFault(reply);
}

const HEAD_BYTES = 4100;

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function makeVariant(runner: JobRunner, job: VariantJob, maxPixels: number): Promise<VariantOutcome> {
  const { tenantId = '', signal = never, mimeType, facts, recipe, yields } = job;
  const [path, outputPath] = [resolve(job.path), resolve(job.outputPath)];
  requireFile(path);
  createOutput(outputPath);
  let outcome: VariantOutcome | undefined;
  try {
    const task = { task: 'make-variant', path, outputPath, mimeType, facts, recipe, maxPixels } as const;
    const result = await runner.run(task, { tenantId, signal, yields });
    outcome = result.status === 'died' ? judgeVariantDeath(task, result.death) : readVariantOutcome(result.reply);
    return outcome;
  } finally {
    if (outcome?.status !== 'made') await rm(outputPath, { force: true });
  }
}

function judgeVariantDeath(task: VariantTask, death: WorkerDeath): VariantOutcome {
  if (!isPage(task))
    return { status: 'failed', failure: describeProblem(describeDeath('attachment_optimization_failed', death)) };
  if (death.cause === 'wall-time') throw describeHang(death);
  const code = 'attachment_page_unreadable';
  const problem = death.cause === 'processor-time' ? describeCost(code, death) : describeDeath(code, death);
  return { status: 'failed', failure: describeProblem(problem) };
}

function readVariantOutcome(reply: WorkerReply): VariantOutcome {
  switch (reply.status) {
    case 'made':
      return reply;
    case 'failed':
      return { status: 'failed', failure: describeProblem(reply.problem) };
    default:
      throw describeFault(reply);
  }
}

// A file that is not what the caller recorded would be blamed for damage that it does not have. It is looked at at once, and an output made
// at once: threads take longer to be asked than the system to do it.
function requireFile(path: string, sizeBytes?: number): void {
  const found = statFile(path);
  if (found.isFile() && found.size > 0 && (sizeBytes === undefined || found.size === sizeBytes)) return;
  throw new Fault('INTERNAL', 'The file to work on is no file, empty, or not of its recorded size. Fetch it again.', {
    retryable: true,
  });
}

function statFile(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    throw new Fault('INTERNAL', 'The file to work on is missing. Fetch it again.', { retryable: true, cause });
  }
}

// The file is the pool's from here on, so that a killed worker's rest can be removed without touching anyone else's file.
function createOutput(outputPath: string): void {
  try {
    closeSync(openSync(outputPath, 'wx', 0o600));
  } catch (cause) {
    throw new Fault('INTERNAL', 'The file for the variant exists already or cannot be made. Give a new path.', {
      cause,
    });
  }
}

// It used little processor time: whether the file or the machine held it up is not known.
function describeHang({ reason }: WorkerDeath): Fault {
  return new Fault('MEDIA_WORKER_FAILED', `A media worker hung: ${reason}. Try again; check disk and memory.`, {
    retryable: true,
  });
}

function describeFault(reply: WorkerReply): Fault {
  const reason = reply.status === 'fault' ? reply.errno : 'an answer to another question';
  return new Fault('MEDIA_WORKER_FAILED', `A media worker met ${reason}. Try again; check disk and memory.`, {
    retryable: true,
  });
}
