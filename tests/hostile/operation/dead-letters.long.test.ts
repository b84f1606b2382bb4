import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTemplateFolder, makePng, runCommand, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';

let dataDir: string;
let stack: SpawnedStack;
beforeAll(async () => {
  dataDir = await copyTemplateFolder();
  stack = await spawnStack(dataDir);
});
afterAll(async () => {
  await stack.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

const attache = (...args: string[]) => runCommand(args, { ATTACHE_DATA_DIR: dataDir });

it('files whose inspection failed on our side are rejected for now, and ready after one command [W10]', async () => {
  const { session, agent } = await stack.api.createSession();
  const work = join(dataDir, 'work');
  await rm(work, { recursive: true });
  await writeFile(work, 'no folder');
  const sizes = [7, 8, 9];
  const uploads = await Promise.all(sizes.map((size) => stack.api.upload(session.id, makePng(size, size))));
  const ids = uploads.map(({ attachment }) => attachment.id);
  for (const id of ids) {
    const { status, failure } = await stack.api.inspected(id);
    expect([status, failure?.code, failure?.retryable]).toEqual(['rejected', 'attachment_pending', true]);
  }
  // A message that comes meanwhile is not held up by them.
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'hello' });
  expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
  await rm(work);
  await mkdir(work, { mode: 0o700 });
  const none = await attache('dead', 'replay', '--all', '--subject', 'session.ended', '--json');
  expect(JSON.parse(none.stdout)).toEqual({ replayedCount: 0, leftCount: 0 });
  const all = await attache('dead', 'replay', '--all', '--subject', 'attachment.added', '--since', '1h');
  expect([all.exitCode, all.stdout]).toEqual([0, expect.stringMatching(/^3 +0$/m)]);
  await expect
    .poll(async () => Promise.all(ids.map(async (id) => (await stack.api.inspected(id)).status)), { timeout: 60_000 })
    .toEqual(['ready', 'ready', 'ready']);
  const kinds = (await stack.api.events(session.id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'attachment.rejected')).toHaveLength(3);
  expect(kinds.filter((kind) => kind === 'attachment.ready')).toHaveLength(3);
});

it.each([
  [['dead', 'replay']],
  [['dead', 'replay', '--subject', 'attachment.added']],
  [['dead', 'replay', '--all', 'ten_AAAAAAAAAAAAAAAAAAAAAA']],
  [['dead', 'replay', '--all', '--since', 'yesterday']],
  [['dead', 'replay', '--all', '--subject', 'no.such']],
])('%j is a wrong usage', async (args) => {
  const ended = await attache(...args);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).not.toBe('');
});
