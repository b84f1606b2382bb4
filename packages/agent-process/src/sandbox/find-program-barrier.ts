import { resolveProgram } from '../resolve-program.ts';
import type { AgentUser } from '../users/agent-users.ts';
import { findBarrier } from '../users/find-barrier.ts';
import { findProgramPlaces } from './find-program-places.ts';

/**
 * The folder or file that keeps a user of an agent from running a command: it cannot be entered or read. Undefined if none does, and if the command does not
 * exist.
 */
export async function findProgramBarrier(
  [name = '', ...args]: readonly string[],
  searchPath: string,
  user: AgentUser,
): Promise<string | undefined> {
  const program = await resolveProgram(name, searchPath);
  if (program === undefined) return undefined;
  const found = await findProgramPlaces([program, ...args], searchPath, []);
  if (found.status === 'refused') return undefined;
  return findBarrier([found.program, ...found.trees, ...found.files.map(({ source }) => source)], user);
}
