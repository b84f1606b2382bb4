import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, Fault, type Recipe } from '@attache/contracts';
import { buildPdfWithPicture } from '@attache/media/fixtures/gapped-pdfs';
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

const pages = [1, 2, 3].map(
  (page) => ({ purpose: 'page-image', page, mimeType: 'image/png', maxEdgePixels: 300, maxBytes: 900_000 }) as const,
);

/** A document whose second page is a picture that nobody can read. */
async function addDocument(fixture: Fixture): Promise<string> {
  const { deps, tenantId, sessionId } = fixture;
  const pdf = buildPdfWithPicture({ data: Buffer.from('no picture'), coding: 'JPXDecode', withText: false });
  const attachmentId = await addFile(fixture, pdf, 'a.pdf');
  await inspectAttachment(deps, messageOf('attachment.added', { tenantId, sessionId, attachmentId }));
  return attachmentId;
}

/** Deps that count the jobs of workers. */
function countJobs({ deps }: Fixture): { deps: ProjectorDeps; jobs: number[] } {
  const jobs: number[] = [];
  const { media } = deps;
  const makeVariant: typeof media.makeVariant = (job) => {
    if (job.recipe.purpose === 'page-image') jobs.push(job.recipe.page);
    return media.makeVariant(job);
  };
  return { deps: { ...deps, media: { ...media, makeVariant } }, jobs };
}

it('leaves out a page that cannot be drawn, and never tries it again [BX-29]', async () => {
  const fixture = await openFixture();
  const attachmentId = await addDocument(fixture);
  const { deps, jobs } = countJobs(fixture);
  const make = async (recipes: Recipe[]) => makeVariants(deps, await originalOf(fixture, attachmentId), recipes);
  const gaps = [{ page: 2, lacks: 'page' }];
  expect(await make([...pages])).toMatchObject({ status: 'made', variants: [{ page: 1 }, { page: 3 }], gaps });
  expect(jobs.toSorted()).toEqual([1, 2, 3]);
  expect((await readStored(fixture, attachmentId)).attachment.facts.pageGaps).toEqual(gaps);
  // Smaller ones are other variants, and the page is as unreadable in them.
  const smaller = pages.map((page) => ({ ...page, maxEdgePixels: 200 }));
  expect(await make(smaller)).toMatchObject({ status: 'made', gaps });
  expect(jobs.slice(3).toSorted()).toEqual([1, 3]);
  expect(await make([pages[1] as Recipe])).toMatchObject({
    status: 'failed',
    failure: { code: 'attachment_page_unreadable' },
  });
  expect(jobs).toHaveLength(5);
});

it('gives up on a document whose pages take all their processor time one after the other [BX-29]', async () => {
  const fixture = await openFixture();
  const attachmentId = await addDocument(fixture);
  const asked: number[] = [];
  const failure: Failure = {
    ...{ code: 'attachment_page_unreadable', severity: 'error', userMessage: 'Too costly.', retryable: false },
    ...{ diagnostic: 'the page took its time', safeDetails: { cause: 'processor-time' } },
  };
  const costly: ProjectorDeps['media']['makeVariant'] = async () => {
    asked.push(asked.length);
    return { status: 'failed', failure };
  };
  const deps = { ...fixture.deps, media: { ...fixture.deps.media, makeVariant: costly } };
  const many = Array.from({ length: 100 }, (_, index) => ({ ...(pages[0] as Recipe), page: index + 1 }) as Recipe);
  const made = await makeVariants(deps, await originalOf(fixture, attachmentId), many);
  expect(made).toMatchObject({ status: 'failed', failure: { code: 'attachment_page_unreadable' } });
  // Three, and those that were begun with the third.
  expect(asked.length).toBeLessThanOrEqual(7);
});
