import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type Recipe } from '@attache/contracts';
import { expect, it } from 'vitest';
import {
  addFile,
  type Fixture,
  loseBytes,
  messageOf,
  openFixture,
  picture,
  readStored,
} from '../__fixtures__/open-fixture.ts';
import { inspectAttachment } from '../inspect-attachment.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { makeVariants } from './make-variants.ts';

const recipe: Recipe = { purpose: 'preview', maxEdgePixels: 16 };

async function addReadyPicture(fixture: Fixture): Promise<string> {
  const { deps, tenantId, sessionId } = fixture;
  const attachmentId = await addFile(fixture, picture, 'a.png');
  await inspectAttachment(deps, messageOf('attachment.added', { tenantId, sessionId, attachmentId }));
  await deps.previews.settle();
  return attachmentId;
}

const originalOf = async (fixture: Fixture, attachmentId: string) => ({
  tenantId: fixture.tenantId,
  stored: await readStored(fixture, attachmentId),
});

it('makes a variant once: the same recipe finds it again', async () => {
  const fixture = await openFixture();
  const attachmentId = await addReadyPicture(fixture);
  const make = async () => makeVariants(fixture.deps, await originalOf(fixture, attachmentId), [recipe]);
  const first = await make();
  expect(first).toMatchObject({ status: 'made', variants: [{ purpose: 'preview', width: 16, height: 12 }] });
  expect(await make()).toEqual(first);
});

it('gives nothing out that was made of an original which is gone [DL-54]', async () => {
  const fixture = await openFixture();
  const attachmentId = await addReadyPicture(fixture);
  await loseBytes(fixture, attachmentId);
  const made = await makeVariants(fixture.deps, await originalOf(fixture, attachmentId), [recipe]);
  expect(made).toMatchObject({ status: 'failed', failure: { code: 'attachment_missing' } });
});

it('makes nothing of a fetched file that was changed since', async () => {
  const fixture = await openFixture();
  const attachmentId = await addReadyPicture(fixture);
  const path = join(fixture.deps.workFolder, attachmentId);
  await writeFile(path, picture.subarray(0, -1));
  const made = await makeVariants(fixture.deps, { ...(await originalOf(fixture, attachmentId)), path }, [recipe]);
  expect(made).toMatchObject({ status: 'failed', failure: { code: 'attachment_checksum_mismatch' } });
});

it('survives a store that refuses a variant before it reads one byte [W14]', async () => {
  const fixture = await openFixture();
  const attachmentId = await addReadyPicture(fixture);
  const refusal = new Fault('STORAGE_UNAVAILABLE', 'The blob store does not answer.', { retryable: true });
  const refusing: ProjectorDeps = {
    ...fixture.deps,
    blobs: { ...fixture.deps.blobs, put: () => Promise.reject(refusal) },
  };
  const original = await originalOf(fixture, attachmentId);
  const crashes: unknown[] = [];
  const note = (error: unknown) => crashes.push(error);
  process.prependListener('uncaughtException', note);
  await expect(makeVariants(refusing, original, [recipe])).rejects.toBe(refusal);
  // A stream that nobody reads opens its file a moment later, and fails alone: as this one does, which comes after it.
  await once(createReadStream(join(fixture.deps.workFolder, 'nothing')), 'error');
  process.removeListener('uncaughtException', note);
  expect(crashes).toEqual([]);
});
