import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { cli } from './program.ts';

export type CommandEnd = { exitCode: number | null; stdout: string; stderr: string };

/** Runs a command of the CLI to its end, in an environment that holds PATH and what is given. One that does not end is killed. */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  timeoutMs = 60_000,
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { exitCode, stdout, stderr };
}
