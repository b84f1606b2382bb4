import { findBubblewrap, readMachineFacts } from '@attache/agent-process';
import { ensureAgents } from '@attache/infra/agents/ensure-agents';
import { findAgents } from '@attache/infra/agents/find-agents';
import { ensureChromium } from '@attache/infra/browser/ensure-chromium';
import { findServers } from '@attache/infra/find-servers';
import { cacheFolderOf, ensureServerProgram } from '@attache/infra/native/build/find-or-build-server';
import { ensurePython } from '@attache/infra/python/ensure-python';
import { ensureBubblewrap } from '@attache/infra/sandbox/ensure-bubblewrap';
import { type ProjectRun, stackServers } from './projects.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Why a run cannot be made at all, one sentence for each thing that it lacks; none if it can. */
export type Lacks = (run: ProjectRun) => string[];

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Finds what the runs need, or builds and installs it, which can take minutes. In CI all of it must be there. */
export async function findNeeds(runs: readonly ProjectRun[], environment: Environment, isCi: boolean): Promise<Lacks> {
  const needsServers = runs.filter(({ project }) => project.servers !== undefined);
  const needsAgents = runs.some(({ project }) => project.hasAgents);
  const servers = needsServers.length > 0 ? await findMissingServers(needsServers, environment, isCi) : [];
  const agents = needsAgents ? await findMissingAgents(environment, isCi) : [];
  const sandbox = runs.some(({ project }) => project.hasSandboxes) ? await findMissingSandbox(environment, isCi) : [];
  const python = runs.some(({ project }) => project.hasClientTools) ? await findMissingClientTools(environment) : [];
  const chromium = runs.some(({ project }) => project.hasBrowser) ? await findMissingChromium(environment) : [];
  return ({ project }) => {
    if (project.hasBrowser) return chromium;
    if (project.hasClientTools) return python;
    if (project.hasAgents) return agents;
    if (project.servers !== 'all') return [];
    if (sandbox.length > 0) return sandbox;
    return servers.filter(({ name }) => (stackServers as readonly string[]).includes(name)).map(({ why }) => why);
  };
}

async function findMissingServers(runs: readonly ProjectRun[], environment: Environment, isCi: boolean) {
  print('\n=== servers ===');
  const { from, missing } = await findServers({ environment, onProgress: print });
  const affected = runs.map(({ name }) => name).join(', ');
  if (missing.length === 0)
    print(`Servers run ${from === 'containers' ? 'in containers' : 'as programs of this machine'}.`);
  for (const { name, why } of missing) print(`Suites that need ${name} will not run (${affected}): ${why}`);
  if (missing.length > 0 && isCi) print('With CI=true this fails the run.');
  return missing;
}

/**
 * Installs what sandboxes are made with. Where none can be made, services of the hosted stack run no agent, so that their suites have
 * nothing to drive; in CI those suites run and fail.
 */
async function findMissingSandbox({ PATH = '' }: Environment, isCi: boolean): Promise<string[]> {
  const missing = await ensureBubblewrap({ searchPath: PATH, isRoot: process.getuid?.() === 0, onProgress: print });
  if (missing !== undefined) print(`No sandbox: ${missing}`);
  const found = await findBubblewrap(PATH, readMachineFacts);
  return found.status === 'works' || isCi ? [] : [`No sandbox works here, ${found.cause}: ${found.remedy}`];
}

async function findMissingChromium(environment: Environment): Promise<string[]> {
  const options = { cacheFolder: cacheFolderOf(environment), searchPath: environment.PATH ?? '', onProgress: print };
  const chromium = await ensureChromium(options);
  return 'why' in chromium ? [chromium.why] : [];
}

async function findMissingClientTools(environment: Environment): Promise<string[]> {
  print('\n=== generators and what compares contracts ===');
  const python = await ensurePython({ cacheFolder: cacheFolderOf(environment), environment, onProgress: print });
  const oasdiff = await ensureServerProgram({ name: 'oasdiff', environment, onProgress: print });
  return [...('why' in python ? [python.why] : []), ...('missing' in oasdiff ? [oasdiff.missing] : [])];
}

/** In CI what is missing is installed. Elsewhere a project without any of them has nothing to drive. */
async function findMissingAgents(environment: Environment, isCi: boolean): Promise<string[]> {
  print('\n=== agents ===');
  const cacheFolder = cacheFolderOf(environment);
  const { found, missing } = isCi
    ? await ensureAgents({ cacheFolder, environment, onProgress: print })
    : await findAgents({ cacheFolder });
  for (const { name, version } of found) print(`${name} ${version}`);
  for (const { why } of missing) print(`not driven: ${why}`);
  return found.length === 0 || isCi ? missing.map(({ why }) => why) : [];
}
