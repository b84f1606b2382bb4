import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { killLife } from '@attache/agent-process/sweep-orphans';
import { endLease, noteDeath } from '@attache/database/end-lease';
import { readMonotonicMs } from '@attache/runner-gateway/lease-guard';
import { type GuardTask, parseWord } from './guard-words.ts';

// The guard of a gateway, a process of its own. Its gateway writes down until when its agents may run; if that time is over, or the gateway is
// gone, the guard kills them. It acts on nothing but its clock and its pipe, so that it works while the gateway is stopped and the database is away.

const LOOK_MS = 100;
/** How often it looks for agents while their time is over: a look reads every process of the machine. */
const REPEAT_MS = 2_000;
/** For so long the lease of a gateway that is gone is tried to be ended: it ends by itself then. */
const END_LEASE_MS = 30_000;
const RETRY_MS = 500;

// A signal to a whole terminal or a whole service is for the gateway.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

let task: GuardTask | undefined;
let untilMs = Number.POSITIVE_INFINITY;
let isDone = false;
let killing: Promise<unknown> | undefined;

function killAgents(): Promise<unknown> {
  if (task === undefined) return Promise.resolve();
  killing ??= killLife({ replica: task.replicaId, incarnation: task.incarnation }).finally(() => {
    killing = undefined;
  });
  return killing;
}

let killedAtMs = Number.NEGATIVE_INFINITY;
const look = setInterval(() => {
  const nowMs = readMonotonicMs();
  if (nowMs < untilMs || nowMs < killedAtMs + REPEAT_MS) return;
  killedAtMs = nowMs;
  killAgents().catch(report);
}, LOOK_MS);

function report(error: unknown): void {
  process.stderr.write(`guard: ${error instanceof Error ? error.message : error}\n`);
}

/** So that others need not wait for the lease of a process that is gone. */
async function giveUpLease({ databaseUrl, replicaId, incarnation }: GuardTask): Promise<void> {
  const givenUpAtMs = readMonotonicMs() + END_LEASE_MS;
  while (readMonotonicMs() < givenUpAtMs) {
    const isEnded = await endLease(databaseUrl, { replicaId, incarnation }).then(
      () => true,
      () => false,
    );
    if (isEnded) return;
    await delay(RETRY_MS);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (task === undefined) {
    task = JSON.parse(line) as GuardTask;
    process.stdout.on('error', () => {});
    process.stdout.write('ready\n');
    continue;
  }
  const word = parseWord(line);
  if (word === undefined) continue;
  if ('done' in word) isDone = true;
  else {
    untilMs = word.untilMs;
    // A gateway that is renewed after a stop has agents again.
    killedAtMs = Number.NEGATIVE_INFINITY;
  }
}

// The pipe is closed: the gateway has ended, however it did.
clearInterval(look);
if (!isDone && task !== undefined) {
  // At once, as a busy machine may take longer for the rest than the lease lasts.
  const noted = noteDeath(task.databaseUrl, task).catch(() => undefined);
  await killAgents();
  await killAgents();
  await noted;
  await giveUpLease(task).catch(report);
}
