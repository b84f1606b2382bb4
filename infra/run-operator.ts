import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from './native/build/server-source.ts';

const run = promisify(execFile);

/** Runs a command of the operator, as `attache session list`, to its end; answers what it says to programs. */
export async function runOperator(
  command: readonly string[],
  { cli, environment }: { cli: string; environment: Environment },
): Promise<unknown> {
  const { stdout } = await run(process.execPath, [cli, ...command, '--json'], {
    env: environment as NodeJS.ProcessEnv,
  });
  return JSON.parse(stdout);
}
