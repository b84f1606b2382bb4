import { resolveProgram } from '@attache/agent-process';
import type { GatewayDeps } from '../gateway-deps.ts';
import { describeCommand } from '../host/describe-command.ts';

/** Profiles are read again now and then, and programs are installed and removed. */
const LOOK_MS = 10_000;

type ProgramDeps = Pick<GatewayDeps, 'profiles' | 'log'> & {
  settings: Pick<GatewayDeps['settings'], 'bundledPrograms' | 'readVariable'>;
};

/** Names of the profiles whose programs are on this machine. */
async function findInstalled({ profiles, settings }: ProgramDeps): Promise<string[]> {
  const searchPath = settings.readVariable('PATH') ?? '';
  const found = await Promise.all(
    Object.entries(profiles).map(async ([name, profile]) => {
      const [program = ''] = describeCommand(settings, profile);
      return (await resolveProgram(program, searchPath)) === undefined ? [] : [name];
    }),
  );
  return found.flat();
}

export type InstalledPrograms = {
  names(): readonly string[];
  /** Looks now. */
  look(): Promise<void>;
  stop(): void;
};

/** Looks now, and again from time to time. */
export async function watchInstalled(deps: ProgramDeps): Promise<InstalledPrograms> {
  let names = await findInstalled(deps);
  const look = async () => {
    try {
      names = await findInstalled(deps);
    } catch (error) {
      deps.log.warn({ err: error }, 'programs.not_looked_for');
    }
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { names: () => names, look, stop: () => clearInterval(timer) };
}
