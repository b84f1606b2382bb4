import type { AgentDriver } from '@attache/agent-process';
import { createDriver, type DriverOptions, type ProgramDriver } from '@attache/agent-process/create-driver';
import type { Runtime } from '@attache/contracts';
import { drivenRuntimes, findProgram } from './find-program.ts';
import type { Program } from './program.ts';
import { programs } from './programs.ts';

/** A driver for every runtime that this release drives. */
export async function loadDrivers(options: DriverOptions): Promise<Partial<Record<Runtime, AgentDriver>>> {
  const drivers: Partial<Record<Runtime, AgentDriver>> = {};
  for (const runtime of drivenRuntimes) drivers[runtime] = await loadDriver(runtime, options);
  return drivers;
}

/** The driver of one runtime. A command that names no program of it gets the one that takes any. */
export async function loadDriver(runtime: Runtime, options: DriverOptions): Promise<AgentDriver> {
  const loaded = new Map<Program, ProgramDriver>();
  for (const program of programs) if (program.runtime === runtime) loaded.set(program, await program.loadDriver());
  const programOf = (command: readonly string[]): ProgramDriver => {
    const program = findProgram(runtime, command);
    const driver = program && loaded.get(program);
    if (driver === undefined) throw new Error(`no program of the runtime ${runtime} takes any command`);
    return driver;
  };
  return createDriver({ runtime, programOf }, options);
}
