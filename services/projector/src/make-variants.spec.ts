import { setTimeout as delay } from 'node:timers/promises';
import { Fault, type Recipe } from '@attache/contracts';
import { expect, it } from 'vitest';
import {
  addFile,
  loseBytes,
  messageOf,
  openScene,
  picture,
  readStored,
  type Scene,
} from './__fixtures__/open-scene.ts';
import { inspectAttachment } from './inspect-attachment.ts';
import { makeVariants } from './make-variants.ts';
import type { ProjectorDeps } from './projector-deps.ts';

const recipe: Recipe = { purpose: 'preview', maxEdgePixels: 16 };

async function addReadyPicture(scene: Scene): Promise<string> {
  const { deps, tenantId, sessionId } = scene;
  const attachmentId = await addFile(scene, picture, 'a.png');
  await inspectAttachment(deps, messageOf('attachment.added', { tenantId, sessionId, attachmentId }));
  return attachmentId;
}

it('makes a variant once: the same recipe finds it again', async () => {
  const scene = await openScene();
  const attachmentId = await addReadyPicture(scene);
  const make = async () => makeVariants(scene.deps, scene.tenantId, await readStored(scene, attachmentId), [recipe]);
  const first = await make();
  expect(first).toMatchObject({ status: 'made', variants: [{ purpose: 'preview', width: 16, height: 12 }] });
  expect(await make()).toEqual(first);
});

it('gives nothing out that was made of an original which is gone [DL-54]', async () => {
  const scene = await openScene();
  const attachmentId = await addReadyPicture(scene);
  await loseBytes(scene, attachmentId);
  const made = await makeVariants(scene.deps, scene.tenantId, await readStored(scene, attachmentId), [recipe]);
  expect(made).toMatchObject({ status: 'failed', failure: { code: 'attachment_missing' } });
});

it('survives a store that refuses a variant before it reads one byte [W14]', async () => {
  const scene = await openScene();
  const attachmentId = await addReadyPicture(scene);
  const refusal = new Fault('STORAGE_UNAVAILABLE', 'The blob store does not answer.', { retryable: true });
  const refusing: ProjectorDeps = { ...scene.deps, blobs: { ...scene.deps.blobs, put: () => Promise.reject(refusal) } };
  const stored = await readStored(scene, attachmentId);
  const crashes: unknown[] = [];
  const note = (error: unknown) => crashes.push(error);
  process.prependListener('uncaughtException', note);
  await expect(makeVariants(refusing, scene.tenantId, stored, [recipe])).rejects.toBe(refusal);
  // A stream that nobody reads opens its file a moment later, and fails alone.
  await delay(50);
  process.removeListener('uncaughtException', note);
  expect(crashes).toEqual([]);
});
