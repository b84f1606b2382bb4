import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTemplateFolder, spawnStack } from '@attache/test-harness';
import { exampleAgentCommand, startFloorProgram } from '../processes/programs.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import { type Least, startLeast } from '../product/start-least.ts';

const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;

/** A program under measurement, in a process of its own. */
export type Program = { pid: number; client: HttpClient; stop(): Promise<void> };
export type Product = Program & { url: string; dataDir: string };

/** The bare program, on files of the same file system as the product's. */
export async function startBare(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-bare-'));
  const bare = await startFloorProgram('bare-upload.ts', folder, /^(http:\S+)$/);
  const client = createHttpClient(bare.said);
  return {
    pid: bare.pid,
    client,
    async stop() {
      client.close();
      await bare.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The least that would be durable at all, in files of the same file system. */
export async function startLeastOnFiles(): Promise<Least & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-least-'));
  const least = await startLeast({ folder, agentCommand: exampleAgentCommand }, 1);
  return {
    ...least,
    async [Symbol.asyncDispose]() {
      await least[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The product: `attache start` on a data folder that was started before. */
export async function startProduct(environment: Record<string, string> = {}): Promise<Product> {
  const dataDir = await copyTemplateFolder();
  const limit = { ATTACHE_MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) };
  const stack = await spawnStack(dataDir, { ATTACHE_LOG_LEVEL: 'error', ...limit, ...environment });
  const client = createHttpClient(`${stack.url}/v1`, { authorization: `Bearer ${stack.api.apiKey}` });
  return {
    pid: stack.process.pid ?? 0,
    client,
    url: stack.url,
    dataDir,
    async stop() {
      client.close();
      await stack.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The product with these profiles and no others. */
export async function startProductWith(
  profiles: Record<string, object>,
  environment: Record<string, string> = {},
): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-profiles-'));
  const path = join(folder, 'profiles.json');
  await writeFile(path, JSON.stringify({ profiles }));
  try {
    return await startProduct({ ...environment, ATTACHE_PROFILES: path });
  } finally {
    // It is read once, before the start.
    await rm(folder, { recursive: true, force: true });
  }
}
