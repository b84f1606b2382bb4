import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { copyTemplateFolder, spawnStack } from '@attache/test-harness';
import { createHttpClient, type HttpClient } from './http-client.ts';

const barePath = fileURLToPath(new URL('../floors/bare-upload.ts', import.meta.url));
const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;

/** A program under measurement, in a process of its own. */
export type Program = { pid: number; client: HttpClient; stop(): Promise<void> };

/** The next line of a child's output that fits. Throws where the output ends before. */
export async function readLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('The program has no standard output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`The program ended before it wrote a line like ${pattern.source}.`);
}

/** Ends a child by SIGTERM and waits for its end. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The bare program, on files of the same file system as the product's. */
export async function startBare(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-bare-'));
  const child = spawn(process.execPath, [barePath, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const client = createHttpClient(await readLine(child, /^(http:\S+)$/));
  return {
    pid: child.pid ?? 0,
    client,
    async stop() {
      client.close();
      await endChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The product: `attache start` on a data folder that was started before. */
export async function startProduct(): Promise<Program> {
  const dataDir = await copyTemplateFolder();
  const stack = await spawnStack(dataDir, { ATTACHE_MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
  const client = createHttpClient(`${stack.url}/v1`, { authorization: `Bearer ${stack.api.apiKey}` });
  return {
    pid: stack.process.pid ?? 0,
    client,
    async stop() {
      client.close();
      await stack.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
