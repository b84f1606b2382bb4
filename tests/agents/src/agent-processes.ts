import { readdir, readFile } from 'node:fs/promises';
import { AGENT_TOKEN_VARIABLE } from '@attache/contracts';

/** A process that an agent's program is or has started. */
export type AgentProcess = { pid: number; token: string };

/** The living processes of the agent that has this folder. */
export async function listAgentProcesses(folder: string): Promise<AgentProcess[]> {
  const found = await Promise.all(
    (await listPids()).map(async (pid) => {
      const environ = (await readProc(pid, 'environ')).split('\0');
      const token = environ.find((each) => each.startsWith(`${AGENT_TOKEN_VARIABLE}=`))?.split('=')[1];
      const isOfAgent = environ.includes(`HOME=${folder}/home`) && token !== undefined;
      return isOfAgent ? [{ pid, token }] : [];
    }),
  );
  return found.flat();
}

/** What those processes, and all that they have started, were given: their environments and arguments. */
export async function readGiven(processes: readonly AgentProcess[]): Promise<string[]> {
  const parents = new Map(
    await Promise.all((await listPids()).map(async (pid) => [pid, await readParent(pid)] as const)),
  );
  const roots = new Set(processes.map(({ pid }) => pid));
  const isBelow = (pid: number): boolean => roots.has(pid) || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  const below = [...parents.keys()].filter(isBelow);
  return Promise.all(below.map(async (pid) => (await readProc(pid, 'environ')) + (await readProc(pid, 'cmdline'))));
}

const listPids = async (): Promise<number[]> =>
  (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);

const readProc = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');

async function readParent(pid: number): Promise<number> {
  const stat = await readProc(pid, 'stat');
  // The name before it is in brackets and may hold anything.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
