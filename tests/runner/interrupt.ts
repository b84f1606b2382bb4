import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, listDescendants, readStartTime } from '@attache/infra/native/processes/process-table';

export type Interruption = {
  /** Fires with the first signal. */
  interrupted: AbortSignal;
  /** The signal that came. */
  readonly signal: NodeJS.Signals | undefined;
  /** Resolves once everything is gone that ran when the signal came; at once if none came. */
  ended(): Promise<void>;
};

const LOOK_MS = 50;

/**
 * Ends a run by SIGINT or SIGTERM: all its descendants get SIGTERM, and SIGKILL if they are still there after `graceMs`. Many are sessions
 * of their own, which no signal of a terminal reaches.
 */
export function listenForInterrupt({ graceMs }: { graceMs: number }): Interruption {
  const controller = new AbortController();
  let signal: NodeJS.Signals | undefined;
  let ended = Promise.resolve();
  const interrupt = (received: NodeJS.Signals) => {
    if (signal !== undefined) return;
    signal = received;
    ended = endDescendants(graceMs);
    controller.abort();
  };
  process.on('SIGTERM', interrupt).on('SIGINT', interrupt);
  return {
    interrupted: controller.signal,
    get signal() {
      return signal;
    },
    ended: () => ended,
  };
}

type Named = { pid: number; startTime: string };

async function endDescendants(graceMs: number): Promise<void> {
  const found = new Map<number, Named>();
  for (const each of await nameDescendants()) found.set(each.pid, each);
  await send(found, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while ((await listLiving(found)).length > 0 && performance.now() < deadline) {
    // A process that ends may still start another, such as a command that stops a server.
    for (const each of await nameDescendants()) found.set(each.pid, each);
    await delay(LOOK_MS);
  }
  await send(found, 'SIGKILL');
}

async function nameDescendants(): Promise<Named[]> {
  const pids = await listDescendants(process.pid);
  const named = await Promise.all(pids.map(async (pid) => ({ pid, startTime: await readStartTime(pid) })));
  return named.filter((each): each is Named => each.startTime !== undefined);
}

// A pid may belong to another process meanwhile; its start time shows that.
async function listLiving(found: ReadonlyMap<number, Named>): Promise<number[]> {
  const isLiving = async ({ pid, startTime }: Named) =>
    (await isRunning(pid)) && (await readStartTime(pid)) === startTime;
  const all = await Promise.all([...found.values()].map(async (each) => ((await isLiving(each)) ? [each.pid] : [])));
  return all.flat();
}

async function send(found: ReadonlyMap<number, Named>, signal: NodeJS.Signals): Promise<void> {
  for (const pid of await listLiving(found)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It is gone already.
    }
  }
}
