import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentName, agentNames, agentTable } from './agent-table.ts';

/** `program` is the absolute path of what is started. */
export type FoundAgent = { name: AgentName; version: string; program: string };

export type MissingAgent = { name: AgentName; why: string };

/** Which agents are installed. Nothing is installed and nothing is started. */
export async function findAgents(options: {
  names?: readonly AgentName[];
  cacheFolder: string;
}): Promise<{ found: FoundAgent[]; missing: MissingAgent[] }> {
  const names = options.names ?? agentNames;
  const results = await Promise.all(names.map((name) => findAgent(name, options.cacheFolder)));
  return {
    found: results.filter((result) => 'program' in result),
    missing: results.filter((result) => 'why' in result),
  };
}

export async function findAgent(name: AgentName, cacheFolder: string): Promise<FoundAgent | MissingAgent> {
  const { version } = agentTable[name];
  const folder = agentFolderOf(name, cacheFolder);
  const program = await findProgram(name, folder);
  if (program !== undefined) return { name, version, program };
  return { name, why: `${name} ${version} is not in ${folder}: npm run agents installs it.` };
}

/** Where an agent is installed: a folder for each version. */
export function agentFolderOf(name: AgentName, cacheFolder: string): string {
  return join(cacheFolder, 'agents', `${name}-${agentTable[name].version}`);
}

/** The program of an agent in the folder of its install, if it is whole and of the right version. */
export async function findProgram(name: AgentName, folder: string): Promise<string | undefined> {
  const { npmPackage, version, bin } = agentTable[name];
  const program = join(folder, 'node_modules', '.bin', bin);
  try {
    const manifest = await readFile(join(folder, 'node_modules', npmPackage, 'package.json'), 'utf8');
    await access(program, constants.X_OK);
    return (JSON.parse(manifest) as { version?: string }).version === version ? program : undefined;
  } catch {
    return undefined;
  }
}
