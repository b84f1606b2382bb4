import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import type { StackLimits } from '@attache/standalone';
import { collectLog } from '../log/collect-log.ts';
import { runWith } from './program.ts';

export type ServiceName = 'ingest' | 'projector' | 'runner-gateway';

/** One service of the hosted stack in a process of its own, which can be killed. */
export type SpawnedService = {
  readonly process: ChildProcess;
  /** The address at which it serves health and metrics. */
  readonly opsUrl: string;
  /** All that it wrote to standard error. */
  stderr(): string;
  /** Ends it by a signal and waits until it is gone. Returns its exit code, or null. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

const OPERATIONS = /^Operations: (http:\S+)$/;

export type ServiceRun = {
  nodeOptions?: readonly string[];
  /** A bundled command line. */
  cli?: string | undefined;
  /** Takes its log, for readers in another process. */
  logFile?: string | undefined;
  /** In the place of the product's own. */
  limits?: StackLimits | undefined;
};

/** Runs `attache start <service>` and waits until it says that it is ready. */
export async function spawnService(
  service: ServiceName,
  environment: Readonly<Record<string, string>>,
  run: ServiceRun = {},
): Promise<SpawnedService> {
  const options = [...nodeFlags, ...(run.nodeOptions ?? [])];
  const child = spawn(
    process.execPath,
    [...options, ...(run.cli ? [run.cli] : runWith(run.limits)), 'start', service],
    {
      env: { PATH: process.env.PATH ?? '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // One service may run several times, each with a log file of its own.
  const name = run.logFile === undefined ? service : basename(run.logFile, '.log');
  const log = collectLog({ name, stream: child.stderr, file: run.logFile });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const closed = once(child, 'close') as Promise<[number | null]>;
  const opsUrl = await Promise.race([
    readLine(child, OPERATIONS),
    // Its last words come after its exit.
    closed.then(([code]) => Promise.reject(new Error(`${service} ended with ${code}: ${log.read()}`))),
  ]);
  return {
    process: child,
    opsUrl,
    stderr: log.read,
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      log.stop();
      return code;
    },
  };
}

async function readLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  // Its end says more.
  return new Promise(() => {});
}
