import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes the files that an earlier life put before its agents, and the folders of its probes (BX-10). Its agents are gone. */
export async function removeLeftFiles(agentsFolder: string): Promise<void> {
  for (const name of await readdir(agentsFolder)) {
    const path = join(agentsFolder, name);
    await rm(name.startsWith('probe-') ? path : join(path, 'inbox'), { recursive: true, force: true });
  }
}
