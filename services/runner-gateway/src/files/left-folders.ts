import { randomUUID } from 'node:crypto';
import { chmod, lchown, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CHANGE, openFolder, type RunPart, removeFolder, shareTime } from '@attache/agent-process';
import type { Logger } from '@attache/telemetry';

/** Begins the names of folders that nobody uses any more; no agent has such a name. */
const LEFT = 'left-';

/** Removes folders that agents have filled. Nobody waits for it: a folder may hold millions of files, or resist. */
export type LeftFolders = {
  /** Takes a folder away at once, if it is there, and removes it later. */
  leave(folder: string): Promise<void>;
  /** Begins to remove all that was left and is still there, as after a start. What resists stays for the next time, and the log says why. */
  sweep(): void;
  /** Ends the removal at its next part. */
  stop(): Promise<void>;
};

export function createLeftFolders(
  { agentsFolder, log }: { agentsFolder: string; log: Pick<Logger, 'warn'> },
  runPart: RunPart = shareTime(),
): LeftFolders {
  let isStopping = false;
  let isAgain = false;
  let sweeping: Promise<void> | undefined;

  async function removeLeft(folder: string): Promise<void> {
    const removing = removeFolder(folder);
    while (!isStopping && !(await runPart(() => removing.next())).done);
    await removing.return(undefined);
  }

  async function sweepAll(): Promise<void> {
    do {
      isAgain = false;
      for (const name of await listLeft(agentsFolder)) {
        if (isStopping) return;
        await removeLeft(join(agentsFolder, name)).catch((error) => log.warn({ err: error }, 'agent.folder_left'));
      }
    } while (isAgain && !isStopping);
  }

  function sweep(): void {
    isAgain = true;
    sweeping ??= sweepAll().finally(() => {
      sweeping = undefined;
    });
  }

  return {
    async leave(folder) {
      try {
        await moveTo(join(agentsFolder, `${LEFT}${randomUUID()}`), folder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        log.warn({ err: error }, 'agent.folder_left');
      }
      sweep();
    },
    sweep,
    async stop() {
      isStopping = true;
      await sweeping;
    },
  };
}

const listLeft = async (agentsFolder: string): Promise<string[]> =>
  (await readdir(agentsFolder).catch(() => [])).filter((name) => name.startsWith(LEFT));

/** The next agent may get the user of the one that made these files. */
async function closeToUser(place: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await lchown(place, 0, 0);
  await chmod(place, 0o700);
}

/** A folder whose parent changes has to be writable for its owner. */
async function moveTo(place: string, folder: string): Promise<void> {
  const isElsewhere = dirname(folder) !== dirname(place);
  await using _ = isElsewhere ? await openFolder(folder, CHANGE) : undefined;
  await rename(folder, place);
  await closeToUser(place);
}
