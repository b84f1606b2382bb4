import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLockFile } from '../native/build/build-lock.ts';
import type { Environment } from '../native/build/server-source.ts';
import { agentNames, findAgentPackage } from './agent-table.ts';
import { agentFolderOf, type FoundAgent, findAgent, type MissingAgent } from './find-agents.ts';
import { installAgent } from './install-agent.ts';

const PROGRESS_INTERVAL_MS = 15_000;

/**
 * Finds agents, and installs those that are missing, one after the other and each under a lock. `environment` is what npm is run with.
 * `onProgress` gets lines to show meanwhile.
 */
export async function ensureAgents(options: {
  names?: readonly string[];
  cacheFolder: string;
  environment: Environment;
  onProgress?(line: string): void;
}): Promise<{ found: FoundAgent[]; missing: MissingAgent[] }> {
  const { cacheFolder, environment, names = agentNames, onProgress = () => {} } = options;
  const found: FoundAgent[] = [];
  const missing: MissingAgent[] = [];
  for (const [at, name] of names.entries()) {
    const what = `${name} ${findAgentPackage(name).version} (${at + 1} of ${names.length})`;
    const result = await ensureAgent({ name, cacheFolder, environment, what, onProgress });
    if ('program' in result) found.push(result);
    else missing.push(result);
  }
  return { found, missing };
}

type Wanted = {
  name: string;
  cacheFolder: string;
  environment: Environment;
  what: string;
  onProgress(line: string): void;
};

async function ensureAgent(wanted: Wanted): Promise<FoundAgent | MissingAgent> {
  const { name, cacheFolder, what, onProgress } = wanted;
  const installed = await findAgent(name, cacheFolder);
  if ('program' in installed) return installed;
  const folder = agentFolderOf(name, cacheFolder);
  await mkdir(dirname(folder), { recursive: true });
  return withLockFile({
    lockFile: `${folder}.lock`,
    onWait: (holder) => onProgress(`waiting for process ${holder}, which installs ${what} …`),
    async task() {
      const meanwhile = await findAgent(name, cacheFolder);
      return 'program' in meanwhile ? meanwhile : installWithProgress(wanted, folder);
    },
  });
}

async function installWithProgress(wanted: Wanted, folder: string): Promise<FoundAgent | MissingAgent> {
  const { name, cacheFolder, environment, what, onProgress } = wanted;
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  onProgress(`installing ${what} …`);
  const timer = setInterval(() => onProgress(`installing ${what} … ${elapsed()}`), PROGRESS_INTERVAL_MS);
  try {
    const failure = await installAgent({ name, folder, environment });
    if (failure !== undefined) return { name, why: `installing ${name} failed after ${elapsed()}:\n${failure}` };
    onProgress(`installed ${what} in ${elapsed()}`);
    return await findAgent(name, cacheFolder);
  } finally {
    clearInterval(timer);
  }
}
