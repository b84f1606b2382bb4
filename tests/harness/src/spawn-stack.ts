import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Api, createApi } from './api.ts';

export const cli = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url));

/** A stack in a process of its own, which can be killed. */
export type SpawnedStack = {
  process: ChildProcess;
  url: string;
  api: Api;
  /** Ends it by a signal and waits until it is gone. Answers its exit code, or null. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

const READY = /^Attaché ready on (http:\S+)$/;

async function readReadyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the stack has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = READY.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the stack ended before it was ready');
}

/** Runs `attache start` on a data folder and waits until it says that it is ready. `wrapper` is a command that becomes it. */
export async function spawnStack(
  dataDir: string,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Promise<SpawnedStack> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dataDir,
    ATTACHE_DATA_DIR: dataDir,
    ATTACHE_PORT: '0',
    ATTACHE_OPS_PORT: '0',
    ATTACHE_LOG_LEVEL: 'error',
    ...environment,
  };
  const [program = '', ...args] = [...wrapper, process.execPath, cli, 'start'];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await Promise.race([
    readReadyUrl(child),
    exited.then(([code]) => Promise.reject(new Error(`the stack ended with ${code}`))),
  ]);
  const apiKey = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  return {
    process: child,
    url,
    api: createApi(url, apiKey),
    async end(signal) {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}
