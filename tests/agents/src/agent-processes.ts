import { readdir, readFile } from 'node:fs/promises';
import { AGENT_TOKEN_VARIABLE } from '@attache/contracts';

/** A process that an agent's program is or has started. */
export type AgentProcess = { pid: number; token: string };

/** The living processes of the agent that has this folder. */
export async function listAgentProcesses(folder: string): Promise<AgentProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environ = (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).split('\0');
      const token = environ.find((each) => each.startsWith(`${AGENT_TOKEN_VARIABLE}=`))?.split('=')[1];
      const isOfAgent = environ.includes(`HOME=${folder}/home`) && token !== undefined;
      return isOfAgent ? [{ pid: Number(pid), token }] : [];
    }),
  );
  return found.flat();
}
