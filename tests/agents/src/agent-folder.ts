import { join } from 'node:path';
import type { Driven } from './driven.ts';

/** The folder of the agent, as the gateway has it. */
export const folderOf = ({ stack, place }: Driven): string => join(stack.dataDir, 'agents', place.agent.id);

/** A place in the agent's working folder: as the agent names it in its sandbox, and where it is outside. */
export function placeAtWork(driven: Driven, ...names: string[]): { inside: string; outside: string } {
  return { inside: join('/agent/work', ...names), outside: join(folderOf(driven), 'work', ...names) };
}
