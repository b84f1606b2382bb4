import { constants } from 'node:fs';
import { lstat, open, opendir, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedAgent } from '../spawn-agent.ts';

const POLL_MS = 2_000;
/** A folder of more entries takes several looks: else an agent that makes many files takes the gateway's processor. */
export const ENTRIES_PER_LOOK = 4_000;
// The unit of st_blocks, whatever the size of the file system's own blocks.
const BLOCK_BYTES = 512;

export type FolderWatch = {
  /** Said where the agent was stopped for what its folder held. */
  readonly excess: string | undefined;
};

/** Kills an agent whose folder takes more of the disk than allowed. Without a limit nothing is looked at. */
export function watchFolder(
  child: Pick<SpawnedAgent, 'exited' | 'signalGroup'>,
  folder: string,
  limitBytes: number | undefined,
  restUntil: (signal: AbortSignal) => Promise<unknown> = restUntilNextLook,
): FolderWatch {
  const watch: { excess: string | undefined } = { excess: undefined };
  if (limitBytes === undefined) return watch;
  const ended = new AbortController();
  void child.exited.then(() => ended.abort());
  const rest = () => restUntil(ended.signal);
  const lookOn = async () => {
    for (await rest(); !ended.signal.aborted; await rest()) {
      const heldBytes = await measureFolder(folder, limitBytes, { rest, signal: ended.signal });
      if (heldBytes <= limitBytes || ended.signal.aborted) continue;
      watch.excess = `stopped: its folder held more than ${limitBytes} bytes`;
      child.signalGroup('SIGKILL');
    }
  };
  void lookOn();
  return watch;
}

/** Resolves at the next look, or at once when the agent has ended. */
function restUntilNextLook(signal: AbortSignal): Promise<unknown> {
  return sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined);
}

type Pace = {
  /** Waited for each time that `ENTRIES_PER_LOOK` entries have been looked at. */
  rest: () => Promise<unknown>;
  /** Ends the walk at its next rest. */
  signal?: AbortSignal;
};

/**
 * The disk space that a folder uses in bytes, its subfolders included; the walk stops beyond `enoughBytes`. A sparse file counts for its written part, links
 * are not followed, and a file that disappears meanwhile counts for nothing. With a `pace` the walk rests in between.
 */
export async function measureFolder(folder: string, enoughBytes: number, pace?: Pace): Promise<number> {
  let heldBytes = 0;
  let entryCount = 0;
  const folders = [folder];
  const root = await realpath(folder).catch(() => folder);
  for (let next = folders.pop(); next !== undefined && heldBytes <= enoughBytes; next = folders.pop()) {
    await using opened = await openBeneath(next, root);
    if (opened === undefined) continue;
    for await (const entry of listFolder(opened.place)) {
      if (entry.isDirectory()) folders.push(path.join(next, entry.name));
      heldBytes += await measureEntry(path.join(opened.place, entry.name));
      if (heldBytes > enoughBytes) break;
      entryCount += 1;
      if (entryCount % ENTRIES_PER_LOOK === 0) await pace?.rest();
      if (pace?.signal?.aborted) return heldBytes;
    }
  }
  return heldBytes;
}

/**
 * A folder that is still beneath `root` once it is open, by a path that leads nowhere else: the program may put a link in the place of any
 * folder above it meanwhile.
 */
async function openBeneath(folder: string, root: string) {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  const place = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(place).catch(() => '');
  if (real === root || real.startsWith(`${root}/`)) return { place, [Symbol.asyncDispose]: () => handle.close() };
  await handle.close();
  return undefined;
}

async function* listFolder(folder: string) {
  try {
    yield* await opendir(folder);
  } catch {
    // It has just gone, or cannot be read: what is in it is not counted.
  }
}

async function measureEntry(place: string): Promise<number> {
  try {
    return (await lstat(place)).blocks * BLOCK_BYTES;
  } catch {
    return 0;
  }
}
