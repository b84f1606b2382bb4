import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from '../report/sample.ts';

/** Argument array of the agent that deliveries are written to. */
export const exampleAgentCommand = [
  process.execPath,
  fileURLToPath(import.meta.resolve('@attache/example-agent/main')),
];

const START_MS = 30_000;
const END_MS = 10_000;

/** The first line of a child's output that fits. Throws if the output ends before. */
export async function readLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('The program has no standard output.');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const found = pattern.exec(line)?.[1];
    if (found === undefined) continue;
    // Its later output must not fill the pipe.
    child.stdout.resume();
    return found;
  }
  throw new Error(`The program ended before it wrote a line like ${pattern.source}.`);
}

/** Ends a child by SIGTERM, at the latest by SIGKILL, and waits for its end. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await exited;
  clearTimeout(timer);
}

export type FloorProgram = { said: string; pid: number; stop(): Promise<void> };

/** Starts a program of `floors/` with one argument and waits for the line that says it is ready, whose group it answers. */
export async function startFloorProgram(name: string, argument: string, ready: RegExp): Promise<FloorProgram> {
  const path = fileURLToPath(new URL(`../../floors/${name}`, import.meta.url));
  // It ends with its input, and so with this process, however that goes.
  const child = spawn(process.execPath, [path, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = () => endChild(child);
  try {
    const said = await within(START_MS, `The floor ${name}`, readLine(child, ready));
    return { said, pid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
