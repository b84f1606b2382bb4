import { readdir, readFile, readlink, stat } from 'node:fs/promises';

/** The processes of one agent. */
export type AgentProcesses = {
  /** Pids of those that live. */
  list(): Promise<number[]>;
  /** Their variables and arguments. */
  readGiven(): Promise<string[]>;
};

// The name that an agent's folder has in each sandbox.
const FOLDER_INSIDE = 'root/agent';

/**
 * Finds the processes of the agent whose folder this is, with a sandbox or without. The folder must be there; what is found later may outlive
 * it.
 */
export async function findProcessesIn(folder: string): Promise<AgentProcesses> {
  const own = await stat(folder);
  const isIn = async (pid: number): Promise<boolean> => {
    const inside = await stat(`/proc/${pid}/${FOLDER_INSIDE}`).catch(() => undefined);
    if (inside?.dev === own.dev && inside.ino === own.ino) return true;
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return place === folder || place.startsWith(`${folder}/`);
  };
  const list = async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const found = await Promise.all(pids.map(async (pid) => ((await isIn(pid)) ? [pid] : [])));
    return found.flat();
  };
  return {
    list,
    async readGiven() {
      const files = (await list()).flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
      return await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
    },
  };
}
