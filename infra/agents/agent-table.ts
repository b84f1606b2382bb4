import { programs } from '@attache/programs';
import type { ProgramPackage } from '@attache/programs/program';

/** Programs of agents that Attaché is tried against, each from npm and of one version, by the key of its package. */
export const agentTable: ReadonlyMap<string, ProgramPackage> = new Map(
  programs.flatMap((program) => (program.package === undefined ? [] : [[program.package.key, program.package]])),
);

export const agentNames: readonly string[] = [...agentTable.keys()];

/** Throws for a name that is in no row. */
export function findAgentPackage(name: string): ProgramPackage {
  const found = agentTable.get(name);
  if (found === undefined) throw new Error(`There is no agent ${name}: it is one of ${agentNames.join(', ')}.`);
  return found;
}
