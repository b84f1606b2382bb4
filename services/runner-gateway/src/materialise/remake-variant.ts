import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedBytes, giveToOwnerOfFolder } from '@attache/agent-process';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { ByteReference, DeliveryPlan, Failure, Recipe } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { listRecipes } from '@attache/domain';
import type { MediaPool } from '@attache/media';
import { hashFile } from '../files/hash-file.ts';
import { nameFile } from '../files/name-file.ts';
import { VIEWS_FOLDER } from '../files/remove-left-files.ts';
import { retryStorage } from '../ownership/retry-storage.ts';
import { attachmentDeleted } from './attachment-failures.ts';

export type RemakeDeps = { blobs: BlobStore; media: MediaPool; settings: { agentsFolder: string } };

type Request = {
  tenantId: string;
  plan: Pick<DeliveryPlan, 'items'>;
  attachments: readonly StoredAttachment[];
  /** The folder for the file; without one its bytes stay in memory. */
  folder: string | undefined;
};

type Source = { tenantId: string; stored: StoredAttachment; recipe: Recipe; reference: ByteReference };

/**
 * Makes a variant again from the verified original, by the recipe of its plan's item (DL-48): the same recipe on the same bytes
 * gives the same bytes. The failure if it cannot be made, or comes out otherwise. The original is never put in its place:
 * if it could go as it is, the plan says so. `position`: of the reference in its part.
 */
export async function remakeVariant(
  deps: RemakeDeps,
  { tenantId, attachments, plan, folder }: Request,
  reference: ByteReference,
  position: number,
): Promise<EmbeddedBytes | Failure> {
  const stored = attachments.find(({ attachment }) => attachment.id === reference.attachmentId);
  const item = plan.items.find(({ attachmentId }) => attachmentId === reference.attachmentId);
  const recipe = item && listRecipes(item)[position];
  if (!stored || !recipe) return attachmentDeleted(reference.attachmentId);
  const work = join(deps.settings.agentsFolder, VIEWS_FOLDER, randomUUID());
  await mkdir(work, { recursive: true, mode: 0o700 });
  try {
    const [original, made] = [join(work, 'original'), join(work, 'made')];
    const failure =
      (await fetchOriginal(deps.blobs, stored, original)) ??
      (await make(deps, { tenantId, stored, recipe, reference }, original, made));
    return failure ?? (await handOver(made, folder, reference));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function handOver(made: string, folder: string | undefined, reference: ByteReference): Promise<EmbeddedBytes> {
  const { sizeBytes } = reference;
  if (folder === undefined) return { bytes: await readFile(made), sizeBytes };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToOwnerOfFolder(folder);
  const path = join(folder, nameFile(reference));
  await rename(made, path);
  await giveToOwnerOfFolder(path);
  return { path, sizeBytes };
}

async function make(
  { media }: RemakeDeps,
  { tenantId, stored: { attachment }, recipe, reference }: Source,
  path: string,
  outputPath: string,
): Promise<Failure | undefined> {
  const { mimeType, facts, id: attachmentId } = attachment;
  const made = await media.makeVariant({ tenantId, path, outputPath, mimeType, facts, recipe });
  if (made.status === 'failed') return { ...made.failure, attachmentId };
  return made.sha256 === reference.sha256 ? undefined : otherBytes(reference);
}

async function fetchOriginal(blobs: BlobStore, stored: StoredAttachment, path: string): Promise<Failure | undefined> {
  const { id: attachmentId, sha256 } = stored.attachment;
  const lasting = { severity: 'error', attachmentId, retryable: false } as const;
  try {
    await retryStorage(async () => {
      await rm(path, { force: true });
      await blobs.copyToFile(parseBlobKey(stored.blobKey), path);
    });
  } catch (error) {
    if (!(error instanceof BlobNotFoundError)) throw error;
    const userMessage = 'The bytes of this file are gone from the store. Upload it again.';
    const diagnostic = 'the blob store has neither the variant nor the original under the recorded keys';
    return { ...lasting, code: 'attachment_missing', userMessage, diagnostic };
  }
  if ((await hashFile(path)) === sha256) return undefined;
  const userMessage = 'The stored bytes of this file are not those that were uploaded. Upload it again.';
  const diagnostic = 'the stored bytes of the original do not have their recorded digest';
  return { ...lasting, code: 'attachment_checksum_mismatch', userMessage, diagnostic };
}

// Another version of the optimiser made it: the parts name the old one, and a retry builds them again.
function otherBytes({ attachmentId, mimeType, sizeBytes }: ByteReference): Failure {
  return {
    code: 'attachment_checksum_mismatch',
    severity: 'error',
    attachmentId,
    userMessage: 'What was made of a file is lost, and what is made of it now has other bytes. Retry the delivery.',
    diagnostic: `${mimeType}, ${sizeBytes} bytes`,
    retryable: true,
  };
}
