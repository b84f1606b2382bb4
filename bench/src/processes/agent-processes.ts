import { readFile } from 'node:fs/promises';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import { pause } from '../report/sample.ts';

const TOKEN = /(?:^|\0)ATTACHE_AGENT_TOKEN=([^\0]*)/;
const LOOK_MS = 50;
/** A program that asks agents what they take has one after the other: between two of them there is next to no time. */
const STILL_MS = 1_500;

/** The first process of each agent below a process, by the token that the agent was given. */
export async function findAgentProcesses(pid: number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const descendant of (await listDescendants(pid)).toSorted((a, b) => a - b)) {
    const environment = await readFile(`/proc/${descendant}/environ`, 'utf8').catch(() => '');
    const token = TOKEN.exec(environment)?.[1];
    if (token !== undefined && !found.has(token)) found.set(token, descendant);
  }
  return found;
}

/** Resolves when no agent has been there for a while. */
export async function waitUntilNoAgents(pid: number, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  let stillSince = performance.now();
  while (performance.now() - stillSince < STILL_MS) {
    if (performance.now() > until) throw new Error(`There are agents after ${timeoutMs / 1000} s.`);
    if ((await findAgentProcesses(pid)).size > 0) stillSince = performance.now();
    await pause(LOOK_MS);
  }
}

/** Memory of a process and all below it, in bytes; what several of them share is counted once, also with others of the machine. */
export async function readTreeShareBytes(pid: number): Promise<number> {
  const shares = await Promise.all([pid, ...(await listDescendants(pid))].map(readShareBytes));
  return shares.reduce((sum, bytes) => sum + bytes, 0);
}

async function readShareBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}
