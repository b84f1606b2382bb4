import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftFolders } from './left-folders.ts';

/** The folder of files that are made for a view while it is shown; no agent has this name. */
export const VIEWS_FOLDER = 'views';

/** Removes the files that an earlier life put before its agents, the folders of its probes, memory on its way back, and views in work (BX-10). Its agents are gone. */
export async function removeLeftFiles(left: LeftFolders, agentsFolder: string): Promise<void> {
  for (const name of await readdir(agentsFolder)) {
    const path = join(agentsFolder, name);
    const isWhole = name.startsWith('probe-') || name.startsWith('restored-') || name === VIEWS_FOLDER;
    await left.leave(isWhole ? path : join(path, 'inbox'));
  }
  left.sweep();
}
