import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';

/** Paths of one job, where nothing is yet. */
export type WorkFiles = { source: string; output: string };

/** Runs `work` with files of its own, removed afterwards where they were made. */
export async function withWorkFiles<T>(workFolder: string, work: (files: WorkFiles) => Promise<T>): Promise<T> {
  const job = join(workFolder, randomUUID());
  const files = { source: `${job}-source`, output: `${job}-output` };
  try {
    return await work(files);
  } finally {
    await Promise.all(Object.values(files).map(removeFile));
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Puts a blob's bytes into a new file. False: the blob is gone. */
export async function fetchToFile(blobs: BlobStore, blobKey: string, path: string): Promise<boolean> {
  try {
    await blobs.copyToFile(parseBlobKey(blobKey), path);
    return true;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return false;
    throw error;
  }
}
