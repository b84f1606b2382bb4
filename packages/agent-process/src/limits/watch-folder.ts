import { setTimeout as sleep } from 'node:timers/promises';
import { type Held, MAX_DEPTH, measureFolder } from '../folder/measure-folder.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { MAX_OPEN_FILES, measureUnlinked } from './measure-unlinked.ts';
import { listOwnProcesses } from './own-processes.ts';
import { type RunPart, shareTime } from './share-time.ts';

const POLL_MS = 2_000;

export type FolderWatch = {
  /** Said where the agent was stopped for what its folder held. */
  readonly excess: string | undefined;
};

type Pace = {
  /** Resolves at the next look, or at once when the agent has ended. */
  rest: (signal: AbortSignal) => Promise<unknown>;
  runPart: RunPart;
};

/** Shared by all agents of this process: one that makes many files takes time from other looks, and not from the gateway. */
const pace: Pace = {
  rest: (signal) => sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined),
  runPart: shareTime(),
};

/** Kills an agent whose folder, with its files that have no name any more, takes more of the disk than allowed. Without a limit nothing is looked at. */
export function watchFolder(
  child: Pick<SpawnedAgent, 'pid' | 'extent' | 'exited' | 'signalGroup'>,
  folder: string,
  limitBytes: number | undefined,
  { rest, runPart }: Pace = pace,
): FolderWatch {
  const watch: { excess: string | undefined } = { excess: undefined };
  if (limitBytes === undefined) return watch;
  const ended = new AbortController();
  const { signal } = ended;
  void child.exited.then(() => ended.abort());
  const lookOn = async () => {
    for (await rest(signal); !signal.aborted; await rest(signal)) {
      const held = await look(measureHeld(child, folder), { limitBytes, signal, runPart });
      if (held <= limitBytes || signal.aborted) continue;
      watch.excess = describeExcess(held, limitBytes);
      child.signalGroup('SIGKILL');
    }
  };
  void lookOn();
  return watch;
}

const describeExcess = (heldBytes: number, limitBytes: number): string =>
  heldBytes === Number.POSITIVE_INFINITY
    ? `stopped: its folder nested more than ${MAX_DEPTH} folders, or a process had more than ${MAX_OPEN_FILES} open files`
    : `stopped: its folder held more than ${limitBytes} bytes`;

/** A walk that yields what it has counted so far in bytes, after each part. */
export type Measuring = AsyncGenerator<number>;

async function* measureHeld(child: Pick<SpawnedAgent, 'pid' | 'extent'>, folder: string): Measuring {
  const held: Held = { bytes: 0 };
  for await (const _ of measureFolder(folder, held)) yield held.bytes;
  yield held.bytes;
  const own = await listOwnProcesses(child);
  const pids = [...own].map(({ pid }) => pid);
  for await (const _ of measureUnlinked(pids, folder, held)) yield held.bytes;
  yield held.bytes;
}

/** Looks part by part, and no further once it is too much or the agent has ended. */
async function look(
  measuring: Measuring,
  { limitBytes, signal, runPart }: { limitBytes: number; signal: AbortSignal; runPart: RunPart },
): Promise<number> {
  let heldBytes = 0;
  try {
    while (heldBytes <= limitBytes && !signal.aborted) {
      const { done, value } = await runPart(() => measuring.next());
      if (done) break;
      heldBytes = value;
    }
  } finally {
    await measuring.return(undefined);
  }
  return heldBytes;
}
