import { createHash, hash, randomUUID } from 'node:crypto';
import { createReadStream, readFileSync, statSync, unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { Failure } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';

/** A path where nothing is yet. What is made there is removed with it. */
export type WorkFile = AsyncDisposable & { path: string };

export function nameWorkFile(workFolder: string): WorkFile {
  const path = join(workFolder, randomUUID());
  return { path, [Symbol.asyncDispose]: () => removeFile(path) };
}

/** Runs `work` with a path of its own where nothing is yet; the files that it made there are removed afterwards. */
export async function withWorkFile<T>(workFolder: string, work: (path: string) => Promise<T>): Promise<T> {
  await using file = nameWorkFile(workFolder);
  return await work(file.path);
}

/** A file that is no larger is read or removed at once: threads take longer to be asked than the system to do it. */
const SMALL_BYTES = 256 * 1024;

async function removeFile(path: string): Promise<void> {
  try {
    if (statSync(path).size <= SMALL_BYTES) unlinkSync(path);
    else await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function fail(stored: StoredAttachment, failure: Pick<Failure, 'code' | 'userMessage' | 'diagnostic'>): Failure {
  return { ...failure, severity: 'error', attachmentId: stored.attachment.id, retryable: false };
}

/** The bytes of a file, which is opened when the first is asked for: a store that refuses a body never asks. */
export async function* readWorkFile(path: string): AsyncGenerator<Uint8Array> {
  if (statSync(path).size <= SMALL_BYTES) yield readFileSync(path);
  else yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

async function hashFile(path: string): Promise<string> {
  if (statSync(path).size <= SMALL_BYTES) return hash('sha256', readFileSync(path));
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), digest);
  return digest.digest('hex');
}

const originalGone = (stored: StoredAttachment): Failure =>
  fail(stored, {
    code: 'attachment_missing',
    userMessage: 'The bytes of this file are gone from the store. Upload it again.',
    diagnostic: 'the blob store has no object under the recorded key',
  });

/** The failure if the store has an attachment's bytes no more. */
export async function findOriginalGone(blobs: BlobStore, stored: StoredAttachment): Promise<Failure | undefined> {
  return (await isGone(blobs, stored.blobKey)) ? originalGone(stored) : undefined;
}

/** Whether the store has nothing under this key any more. */
export async function isGone(blobs: BlobStore, key: string): Promise<boolean> {
  try {
    await blobs.head(parseBlobKey(key));
    return false;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return true;
    throw error;
  }
}

/** Puts an attachment's bytes into a new file. */
export async function fetchOriginal(
  blobs: BlobStore,
  stored: StoredAttachment,
  path: string,
): Promise<Failure | undefined> {
  try {
    await blobs.copyToFile(parseBlobKey(stored.blobKey), path);
    return undefined;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return originalGone(stored);
    throw error;
  }
}

/** The failure if a file does not hold an attachment's bytes: nothing is made of others than those which were uploaded. */
export async function findChanged(stored: StoredAttachment, path: string): Promise<Failure | undefined> {
  if ((await hashFile(path)) === stored.attachment.sha256) return undefined;
  return fail(stored, {
    code: 'attachment_checksum_mismatch',
    userMessage: 'The stored bytes of this file are not those that were uploaded. Upload it again.',
    diagnostic: 'the stored bytes do not have their recorded digest',
  });
}
