import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../native/build/server-source.ts';
import { spawnGuarded } from '../native/processes/spawn-guarded.ts';
import { findAgentPackage } from './agent-table.ts';
import { findProgram } from './find-agents.ts';

/**
 * Installs an agent with npm into a draft next to its folder, which is then renamed, so that half an install is never found. Returns why it
 * failed, or undefined.
 */
export async function installAgent(options: {
  name: string;
  folder: string;
  environment: Environment;
}): Promise<string | undefined> {
  const { name, folder } = options;
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  try {
    await mkdir(draft, { recursive: true });
    const failure = (await runNpm({ ...options, draft })) ?? (await explainIncomplete(name, draft));
    if (failure !== undefined) return failure;
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return undefined;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The last lines of an npm that failed; undefined if it did not. */
async function runNpm(options: { name: string; draft: string; environment: Environment }): Promise<string | undefined> {
  const { npmPackage, version } = findAgentPackage(options.name);
  // Without a manifest here npm would install into the nearest folder above that has one.
  await writeFile(join(options.draft, 'package.json'), '{"private":true}');
  const npm = spawnGuarded({
    program: 'npm',
    args: ['install', '--no-audit', '--no-fund', '--save-exact', `${npmPackage}@${version}`],
    folder: options.draft,
    environment: options.environment,
    lastSignal: 'SIGTERM',
  });
  const end = await npm.closed;
  return end.code === 0
    ? undefined
    : [...npm.lastLines, `npm install ended with ${end.signal ?? `exit code ${end.code}`}`].join('\n');
}

async function explainIncomplete(name: string, draft: string): Promise<string | undefined> {
  const { npmPackage, version, bin } = findAgentPackage(name);
  if ((await findProgram(name, draft)) !== undefined) return undefined;
  return `npm install succeeded, but left no program ${bin} of ${npmPackage} ${version}`;
}
