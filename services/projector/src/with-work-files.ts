import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';

/** Runs `work` with a folder of its own, removed afterwards. */
export async function withWorkFolder<T>(workFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(workFolder, 'job-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts a blob's bytes into a file of the folder. Undefined: the blob is gone. */
export async function fetchToFile(blobs: BlobStore, blobKey: string, folder: string): Promise<string | undefined> {
  const path = join(folder, 'source');
  try {
    await blobs.copyToFile(parseBlobKey(blobKey), path);
    return path;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return undefined;
    throw error;
  }
}
