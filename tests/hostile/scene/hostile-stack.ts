import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, Profile, Session } from '@attache/contracts';
import {
  type Answer,
  copyTemplateFolder,
  listBlobKeys,
  listTemporaryFiles,
  readStoredState,
  type SpawnedStack,
  spawnStack,
} from '@attache/test-harness';
import { expect } from 'vitest';

/** A stack that gets bad input, with what must hold after each of it. */
export type HostileStack = Pick<SpawnedStack, 'url' | 'api'> & {
  dataDir: string;
  /** Of the process that serves. */
  pid: number;
  session: Session;
  agent: Agent;
  /** A good request works, in the process that was there from the beginning. */
  expectAlive(): Promise<void>;
  /** No attachment and no byte more than there were, and nothing half-written. */
  expectNothingKept(): Promise<void>;
  /** Stops it and looks at what it leaves: every blob file has a live row, and no reservation is open. */
  expectCleanEnd(): Promise<void>;
  stop(): Promise<void>;
};

export type HostileOptions = {
  /** In the place of those that a stack brings. */
  profiles?: Record<string, Profile>;
  environment?: Record<string, string>;
};

type Problem = { code?: string };

/** The status and code of an answer, with the rest in the message of a failed expectation. */
export function expectProblem(answer: Answer<Problem>, status: number, code: string): void {
  expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
}

export async function startHostile({ profiles, environment = {} }: HostileOptions = {}): Promise<HostileStack> {
  const dataDir = await copyTemplateFolder();
  const profilesFile = join(dataDir, 'profiles.json');
  if (profiles) await writeFile(profilesFile, JSON.stringify({ profiles }));
  const stack = await spawnStack(dataDir, { ...(profiles ? { ATTACHE_PROFILES: profilesFile } : {}), ...environment });
  const { session, agent } = await stack.api.createSession();
  const countKept = async () => {
    const { body } = await stack.api.call<{ items: unknown[] }>('GET', `/sessions/${session.id}/attachments?limit=200`);
    const [blobs, temporary] = await Promise.all([listBlobKeys(dataDir), listTemporaryFiles(dataDir)]);
    return { attachments: body.items.length, blobs: blobs.length, temporary: temporary.length };
  };
  let expected = await countKept();
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) expect(await stack.end('SIGTERM')).toBe(0);
    isStopped = true;
  };
  return {
    ...{ url: stack.url, api: stack.api, dataDir, pid: stack.process.pid ?? 0, session, agent },
    async expectAlive() {
      expect(stack.process.exitCode).toBeNull();
      const other = await stack.api.createSession();
      const file = { name: 'note.txt', type: 'text/plain' };
      // Bytes that nobody sent before: a second copy of the same ones is not kept.
      const bytes = new TextEncoder().encode(randomUUID());
      const { attachment } = await stack.api.upload(other.session.id, bytes, file);
      expect((await stack.api.inspected(attachment.id)).status).toBe('ready');
      expected = { ...expected, blobs: expected.blobs + 1 };
    },
    expectNothingKept: () => expect.poll(countKept, { timeout: 60_000, interval: 10 }).toEqual(expected),
    async expectCleanEnd() {
      await stop();
      const state = await readStoredState(dataDir);
      expect(state.storedKeys).toEqual(state.keptKeys);
      expect(state).toMatchObject({ unsettledKeys: [], reservedBytes: 0, deadLetters: [] });
      expect(await listTemporaryFiles(dataDir)).toEqual([]);
    },
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
