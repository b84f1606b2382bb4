import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentNames, findAgentPackage } from './agent-table.ts';

/** `program` is the absolute path of what is started. */
export type FoundAgent = { name: string; version: string; program: string };

export type MissingAgent = { name: string; why: string };

/** Which agents are installed. Nothing is installed and nothing is started. */
export async function findAgents(options: {
  names?: readonly string[];
  cacheFolder: string;
}): Promise<{ found: FoundAgent[]; missing: MissingAgent[] }> {
  const names = options.names ?? agentNames;
  const results = await Promise.all(names.map((name) => findAgent(name, options.cacheFolder)));
  return {
    found: results.filter((result) => 'program' in result),
    missing: results.filter((result) => 'why' in result),
  };
}

export async function findAgent(name: string, cacheFolder: string): Promise<FoundAgent | MissingAgent> {
  const { version } = findAgentPackage(name);
  const folder = agentFolderOf(name, cacheFolder);
  const program = await findProgram(name, folder);
  if (program !== undefined) return { name, version, program };
  return { name, why: `${name} ${version} is not in ${folder}: npm run agents installs it.` };
}

/** The folder where an agent is installed: one for each version. */
export function agentFolderOf(name: string, cacheFolder: string): string {
  return join(cacheFolder, 'agents', `${name}-${findAgentPackage(name).version}`);
}

/** The program of an agent in the folder of its install, if it is whole and of the right version. */
export async function findProgram(name: string, folder: string): Promise<string | undefined> {
  const { npmPackage, version, bin } = findAgentPackage(name);
  const program = join(folder, 'node_modules', '.bin', bin);
  try {
    const manifest = await readFile(join(folder, 'node_modules', npmPackage, 'package.json'), 'utf8');
    await access(program, constants.X_OK);
    return (JSON.parse(manifest) as { version?: string }).version === version ? program : undefined;
  } catch {
    return undefined;
  }
}
