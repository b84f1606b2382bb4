import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReplicaIdentity } from '@attache/database';
import type { LeaseGuard } from '@attache/runner-gateway/lease-guard';
import type { Logger } from '@attache/telemetry';
import { formatWord } from './guard-words.ts';

const program = fileURLToPath(new URL('./main.ts', import.meta.url));

/** It waits for a line and looks at a clock: a small heap is enough, until it opens one connection. */
const flags = ['--max-old-space-size=64', '--max-semi-space-size=1'];

const RESTART_MS = 1_000;

/** A guard process that has no task yet. It ends with its pipe. */
export type LaunchedGuard = { child: ChildProcess; spawned: Promise<unknown> };

type GuardOptions = {
  databaseUrl: string;
  log: Logger;
  /** The first one, if it was launched before: it loads while the gateway opens the rest. */
  launched?: LaunchedGuard | undefined;
};

/**
 * Starts a guard process next to this gateway, in a session of its own, so that a signal that ends the gateway does not end it. One that is gone is started
 * again. Rejects if none can be started.
 */
export async function startGuard(
  { databaseUrl, log, launched = launchGuard() }: GuardOptions,
  { replicaId, incarnation }: ReplicaIdentity,
): Promise<LeaseGuard> {
  const task = formatWord({ databaseUrl, replicaId, incarnation });
  let untilMs: number | undefined;
  let isDone = false;
  let child = await giveTask(launched, task);
  const renew = () => untilMs !== undefined && child.stdin?.write(formatWord({ untilMs }));
  const watch = () => {
    child.once('exit', (code, signal) => {
      if (isDone) return;
      log.warn({ code, signal }, 'guard.ended');
      setTimeout(restart, RESTART_MS).unref();
    });
  };
  function restart(): void {
    if (isDone) return;
    giveTask(launchGuard(), task).then(
      (started) => {
        if (isDone) return void started.stdin?.end(formatWord({ done: true }));
        child = started;
        watch();
        renew();
      },
      (error) => {
        log.error({ err: error }, 'guard.not_started');
        setTimeout(restart, RESTART_MS).unref();
      },
    );
  }
  watch();
  return {
    renew(nextMs) {
      untilMs = nextMs;
      renew();
    },
    async stop() {
      isDone = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.stdin?.end(formatWord({ done: true }));
      await exited;
    },
  };
}

export function launchGuard(): LaunchedGuard {
  const child = spawn(process.execPath, [...flags, program], {
    cwd: '/',
    detached: true,
    // Its settings come by its pipe.
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const spawned = once(child, 'spawn');
  spawned.catch(() => {});
  // A broken pipe shows as its end.
  child.stdin?.on('error', () => {});
  return { child, spawned };
}

async function giveTask({ child, spawned }: LaunchedGuard, task: string): Promise<ChildProcess> {
  await spawned;
  const ended = () => new Error('the guard ended at once');
  if (child.exitCode !== null || child.signalCode !== null) throw ended();
  child.stdin?.write(task);
  await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data'),
    once(child, 'exit').then(() => {
      throw ended();
    }),
  ]);
  child.stdout?.destroy();
  child.unref();
  return child;
}
