import { constants } from 'node:fs';
import { lstat, open, opendir, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { SpawnedAgent } from '../spawn-agent.ts';

const POLL_MS = 2_000;
// Of st_blocks, whatever the file system's own blocks are.
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
  pollMs: number = POLL_MS,
): FolderWatch {
  const watch: { excess: string | undefined } = { excess: undefined };
  if (limitBytes === undefined) return watch;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const lookLater = () => {
    timer = hasEnded ? undefined : setTimeout(() => void look().then(lookLater), pollMs).unref();
  };
  const look = async () => {
    const heldBytes = await measureFolder(folder, limitBytes);
    if (heldBytes <= limitBytes || hasEnded) return;
    watch.excess = `stopped: its folder held more than ${limitBytes} bytes`;
    child.signalGroup('SIGKILL');
  };
  lookLater();
  void child.exited.then(() => {
    hasEnded = true;
    clearTimeout(timer);
  });
  return watch;
}

/**
 * What a folder takes of the disk, its folders included; beyond `enoughBytes` no more is looked at. A sparse file counts for what is written of
 * it, links are not followed, and what goes away meanwhile counts for nothing.
 */
export async function measureFolder(folder: string, enoughBytes: number): Promise<number> {
  let heldBytes = 0;
  const folders = [folder];
  const root = await realpath(folder).catch(() => folder);
  for (let next = folders.pop(); next !== undefined && heldBytes <= enoughBytes; next = folders.pop()) {
    await using opened = await openBeneath(next, root);
    if (opened === undefined) continue;
    for await (const entry of listFolder(opened.place)) {
      if (entry.isDirectory()) folders.push(path.join(next, entry.name));
      heldBytes += await measureEntry(path.join(opened.place, entry.name));
      if (heldBytes > enoughBytes) break;
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
