import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createBlobKey } from '@attache/blob-store';
import { type Failure, Fault, type Recipe, type Variant, type Warning } from '@attache/contracts';
import {
  findVariant,
  insertVariant,
  reserveVariantBlob,
  type StoredAttachment,
  settleAbandonedBlob,
} from '@attache/database';
import { describeRecipe, type VariantOutcome } from '@attache/media';
import type { ProjectorDeps } from './projector-deps.ts';
import { variantUuid } from './variant-id.ts';
import { fetchToFile, withWorkFiles } from './with-work-files.ts';

export type MadeVariant = { status: 'made'; variant: Variant } | { status: 'failed'; failure: Failure };

type Made = Extract<VariantOutcome, { status: 'made' }> & { warnings: Warning[] };

const sourceMissing: Failure = {
  code: 'attachment_missing',
  severity: 'error',
  userMessage: 'The bytes of this file are gone from the store. Upload it again.',
  diagnostic: 'the blob store has no object under the recorded key',
  retryable: false,
};

async function keep(
  deps: ProjectorDeps,
  tenantId: string,
  row: { id: string; sourceSha256: string; recipe: Recipe },
  made: Made,
  path: string,
): Promise<void> {
  const blob = { id: randomUUID(), key: createBlobKey(tenantId, randomBytes(16)) };
  await deps.db.asTenant(tenantId, (tx) => reserveVariantBlob(tx, { tenantId, ...blob, storeId: deps.blobs.id }));
  await deps.blobs.put(blob.key, createReadStream(path), { sizeBytes: made.sizeBytes });
  const isNew = await deps.db.asTenant(tenantId, (tx) =>
    insertVariant(tx, {
      tenantId,
      id: row.id,
      sourceSha256: row.sourceSha256,
      purpose: row.recipe.purpose,
      recipe: describeRecipe(row.recipe),
      mimeType: made.mimeType,
      sizeBytes: made.sizeBytes,
      sha256: made.sha256,
      width: made.width ?? null,
      height: made.height ?? null,
      scale: made.scale ?? null,
      warnings: made.warnings,
      blob,
    }),
  );
  if (isNew) return;
  await deps.blobs.delete(blob.key);
  await settleAbandonedBlob(deps.db, { tenantId, id: blob.id });
}

/** Makes a variant of an attachment, or finds the one that the same recipe made before. */
export async function makeVariant(
  deps: ProjectorDeps,
  tenantId: string,
  { attachment, blobKey }: StoredAttachment,
  recipe: Recipe,
): Promise<MadeVariant> {
  const id = variantUuid(tenantId, attachment.sha256, recipe);
  const find = () => deps.db.readAsTenant(tenantId, (tx) => findVariant(tx, id));
  const existing = await find();
  if (existing) return { status: 'made', variant: existing.variant };
  const failure = await withWorkFiles(deps.workFolder, async ({ source, output }): Promise<Failure | undefined> => {
    if (!(await fetchToFile(deps.blobs, blobKey, source))) return sourceMissing;
    const { mimeType, facts } = attachment;
    const outcome = await deps.media.makeVariant({ path: source, outputPath: output, mimeType, facts, recipe });
    if (outcome.status === 'failed') return outcome.failure;
    await keep(deps, tenantId, { id, sourceSha256: attachment.sha256, recipe }, outcome, output);
    return undefined;
  });
  if (failure) return { status: 'failed', failure: { ...failure, attachmentId: attachment.id } };
  const made = await find();
  if (!made) throw new Fault('INTERNAL', 'A variant is not there after it was made.', { retryable: true });
  return { status: 'made', variant: made.variant };
}
