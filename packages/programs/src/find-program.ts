import type { Runtime } from '@attache/contracts';
import { programNameOf } from '@attache/domain';
import type { Program } from './program.ts';
import { programs } from './programs.ts';

/** Runtimes that this release drives. */
export const drivenRuntimes: ReadonlySet<Runtime> = new Set(programs.map(({ runtime }) => runtime));

/** The program of a profile, by the file names in its command; undefined where nothing drives its runtime. */
export function findProgram(runtime: Runtime, command: readonly string[]): Program | undefined {
  const speaking = programs.filter((program) => program.runtime === runtime);
  const named = command.map(programNameOf).map((name) => speaking.find((program) => program.name === name));
  return named.find((program) => program !== undefined) ?? speaking.find(({ takesAnyCommand }) => takesAnyCommand);
}

/** Whether a program asks for the tools of its MCP servers by itself when it starts. Of one that is not known, nobody would know how long to wait. */
export function listsToolsAtStart([program = '']: readonly string[]): boolean {
  const name = programNameOf(program);
  return programs.some((each) => each.name === name && each.listsToolsAtStart);
}
