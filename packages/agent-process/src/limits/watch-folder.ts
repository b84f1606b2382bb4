import { lstat, opendir } from 'node:fs/promises';
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
  for (let next = folders.pop(); next !== undefined && heldBytes <= enoughBytes; next = folders.pop()) {
    for await (const entry of listFolder(next)) {
      const place = path.join(next, entry.name);
      if (entry.isDirectory()) folders.push(place);
      heldBytes += await measureEntry(place);
      if (heldBytes > enoughBytes) break;
    }
  }
  return heldBytes;
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
