import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { StackLimits } from '@attache/standalone';
import { type Api, createApi } from '../api.ts';
import { type CollectedLog, collectLog } from '../log/collect-log.ts';
import { runWith } from './program.ts';

/** A stack in a process of its own, which can be killed. */
export type SpawnedStack = {
  process: ChildProcess;
  url: string;
  /** The address at which it serves health and metrics. */
  opsUrl: string;
  api: Api;
  /** All that it wrote to standard error. */
  log(): string;
  /** Ends it by a signal and waits until it is gone. Returns its exit code, or null. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

const READY = /^Attaché ready on (http:\S+)$/;
const OPERATIONS = /^Operations: (http:\S+)$/;

/** It ends a hang, and is no measure of a start. */
const READY_WITHIN_MS = 120_000;

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

/** Throws if the process ends before that, or is not ready in a time that only a hang takes. */
async function waitUntilReady(child: ChildProcess, log: CollectedLog): Promise<Addresses> {
  const fail = (what: string) => Promise.reject(new Error(`the stack ${what}: ${log.read()}`));
  const given = new AbortController();
  // Its last words come after its exit.
  const ended = once(child, 'close').then(() => fail(`ended with ${child.exitCode}`));
  const hung = delay(READY_WITHIN_MS, undefined, { signal: given.signal }).then(() => {
    child.kill('SIGKILL');
    return fail(`was not ready within ${READY_WITHIN_MS} ms`);
  });
  hung.catch(() => undefined);
  return Promise.race([readAddresses(child), ended, hung]).finally(() => given.abort());
}

export type SpawnOptions = {
  /** A command that becomes the stack. */
  wrapper?: readonly string[];
  /** Takes its log, for readers in another process. */
  logFile?: string;
  /** In the place of the product's own. */
  limits?: StackLimits | undefined;
};

/** Runs `attache start` on a data folder and waits until it says that it is ready. */
export async function spawnStack(
  dataDir: string,
  environment: Record<string, string> = {},
  { wrapper = [], logFile, limits }: SpawnOptions = {},
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
  const [program = '', ...args] = [...wrapper, process.execPath, ...runWith(limits), 'start'];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = collectLog({ name: basename(dataDir), stream: child.stderr, file: logFile });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const { url, opsUrl } = await waitUntilReady(child, log);
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
