import { resolveProgram } from '../resolve-program.ts';
import type { AgentUser } from '../users/agent-users.ts';
import { type FoundBubblewrap, findBubblewrap } from './find-bubblewrap.ts';
import { readMachineFacts } from './machine-facts.ts';

/** Which program went well in its trial, by the user who tried it, for the life of this process. */
const kept = new Map<number | undefined, string>();

export type TriedBubblewrap = { status: 'works'; program: string } | { status: 'unavailable'; diagnostic: string };

/** The machine's bubblewrap: without a trial where this user's last one went well. What was refused is tried again each time. */
export async function findTriedBubblewrap(searchPath: string, user: AgentUser | undefined): Promise<TriedBubblewrap> {
  const program = await resolveProgram('bwrap', searchPath);
  if (program !== undefined && kept.get(user?.uid) === program) return { status: 'works', program };
  const found = await tryBubblewrap(searchPath, user);
  return found.status === 'unavailable' ? describe(found) : found;
}

/** The machine's bubblewrap by a new trial, which others need not repeat where it goes well. */
export async function tryBubblewrap(searchPath: string, user?: AgentUser): Promise<FoundBubblewrap> {
  const found = await findBubblewrap(searchPath, readMachineFacts, user);
  if (found.status === 'works') kept.set(user?.uid, found.program);
  return found;
}

/**
 * Why no sandbox works for a child that has ended, by a new trial where bubblewrap itself complained; undefined where one works. What changed
 * for one user may have changed for all: each is tried again at its next start.
 */
export async function findSandboxFault(
  { exitCode, diagnostic }: { exitCode: number | null; diagnostic: string },
  searchPath: string,
  user: AgentUser | undefined,
): Promise<string | undefined> {
  if (exitCode !== 1 || !/^bwrap: /m.test(diagnostic)) return undefined;
  kept.clear();
  const found = await findTriedBubblewrap(searchPath, user);
  return found.status === 'works' ? undefined : found.diagnostic;
}

const describe = ({ cause, remedy, said }: Extract<FoundBubblewrap, { status: 'unavailable' }>) => ({
  ...{ status: 'unavailable' as const, diagnostic: `${cause}: ${remedy} ${said}`.trim() },
});
