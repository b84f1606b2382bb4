import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePng } from '@attache/test-harness';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowserTenant, openParticipant } from '../src/shared-stack.ts';
import { serveComposers } from './open-composer.ts';

const BYTES_PER_SECOND = 200_000;

it('a file that is written to while it is uploaded is no mixture in the session, but an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'attache-changed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'log.png');
  await writeFile(path, Buffer.concat([makePng(40, 30, 7), Buffer.alloc(800_000)]));
  const composers = await serveComposers({ mode: 'development' });
  onTestFinished(() => composers.close());
  const api = await openBrowserTenant();
  const participant = await openParticipant(api);
  const { page, part } = await composers.open(participant);
  const protocol = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: BYTES_PER_SECOND };
  await protocol.send('Network.emulateNetworkConditions', line);
  await page.locator('input[type=file]').first().setInputFiles(path);
  await expect.poll(() => part('state').textContent()).toContain('of');
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(400_000, 1), 0, 400_000, 200_000);
  await file.close();
  await expect.poll(() => part('state').textContent()).toContain('changed');
  const list = async () => (await api.call('GET', `/sessions/${participant.sessionId}/attachments`)).body.items;
  await expect.poll(list).toEqual([]);
});
