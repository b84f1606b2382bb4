import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Api, createApi } from './api.ts';
import { type CollectedLog, collectLog } from './collect-log.ts';
import { cli } from './program.ts';

/** A stack in a process of its own, which can be killed. */
export type SpawnedStack = {
  process: ChildProcess;
  url: string;
  /** Where it serves health and metrics. */
  opsUrl: string;
  api: Api;
  /** All that it wrote to standard error. */
  log(): string;
  /** Ends it by a signal and waits until it is gone. Answers its exit code, or null. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

const READY = /^Attaché ready on (http:\S+)$/;
const OPERATIONS = /^Operations: (http:\S+)$/;

type Addresses = { url: string; opsUrl: string };

async function readAddresses(child: ChildProcess): Promise<Addresses> {
  if (!child.stdout) throw new Error('the stack has no standard output');
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url = READY.exec(line)?.[1] ?? url;
    const opsUrl = OPERATIONS.exec(line)?.[1];
    if (opsUrl !== undefined) return { url, opsUrl };
  }
  // Its end says more.
  return new Promise(() => {});
}

function waitUntilReady(child: ChildProcess, log: CollectedLog, exited: Promise<[number | null]>): Promise<Addresses> {
  const ended = exited.then(([code]) => Promise.reject(new Error(`the stack ended with ${code}: ${log.read()}`)));
  return Promise.race([readAddresses(child), ended]);
}

/**
 * Runs `attache start` on a data folder and waits until it says that it is ready. `wrapper` is a command that becomes it; `logFile`
 * takes its log, for readers in another process.
 */
export async function spawnStack(
  dataDir: string,
  environment: Record<string, string> = {},
  { wrapper = [], logFile }: { wrapper?: readonly string[]; logFile?: string } = {},
): Promise<SpawnedStack> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dataDir,
    ATTACHE_DATA_DIR: dataDir,
    ATTACHE_PORT: '0',
    ATTACHE_OPS_PORT: '0',
    ATTACHE_LOG_LEVEL: 'info',
    ...environment,
  };
  const [program = '', ...args] = [...wrapper, process.execPath, cli, 'start'];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = collectLog({ name: basename(dataDir), stream: child.stderr, file: logFile });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const { url, opsUrl } = await waitUntilReady(child, log, exited);
  const apiKey = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  return {
    process: child,
    url,
    opsUrl,
    api: createApi(url, apiKey),
    log: log.read,
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      log.stop();
      return code;
    },
  };
}
