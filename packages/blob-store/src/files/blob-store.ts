import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { BlobKey } from '../blob-key.ts';
import { BlobNotFoundError, type BlobRange, type BlobStore } from '../blob-store.ts';
import { resolveRange } from '../resolve-range.ts';
import { errorCodeOf, toStorageFault } from '../storage-fault.ts';
import type { OnBytes } from '../young-collection.ts';
import { type BlobFolders, openBlobFolders } from './blob-folders.ts';
import { putFile } from './put-file.ts';
import { syncFolder } from './real-folders.ts';

const READ_BYTES = 256 * 1024;
// O_NONBLOCK: a pipe planted in the store must not hold a thread.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

type FileStoreOptions = { root: string; id?: string | undefined; onBytes?: OnBytes | undefined };

/**
 * Blobs as files (0600) below `root`, which is made where it is missing. Removes what a killed process left half-written,
 * so only one process may use a root at a time. Throws Fault `STORAGE_UNAVAILABLE` where the root cannot be used.
 */
export async function createFileBlobStore({ root, id = 'files', onBytes }: FileStoreOptions): Promise<BlobStore> {
  const folders = await openBlobFolders(root).catch((error: unknown) => {
    throw toStorageFault(error);
  });
  return {
    id,
    put: (key, body, options = {}) => putFile({ folders, key, body, limits: { ...options, onBytes } }),
    head: async (key) => ({ sizeBytes: (await findBlob(folders, key)).sizeBytes }),
    get: (key, range) => readBlob({ folders, key, range }),
    delete: (key) => deleteBlob(folders, key),
    copyToFile: (key, path) => copyBlob({ folders, key, targetPath: path }),
    checkReady: () => checkWritable(folders.temporaryFolder),
  };
}

async function findBlob(folders: BlobFolders, key: BlobKey): Promise<{ path: string; sizeBytes: number }> {
  const { folder, path } = folders.locate(key);
  try {
    await folders.checkFolder(folder);
    const found = await lstat(path);
    if (!found.isFile()) throw new BlobNotFoundError(key);
    return { path, sizeBytes: found.size };
  } catch (error) {
    throw toReadError(key, error);
  }
}

type ReadInput = { folders: BlobFolders; key: BlobKey; range: BlobRange | undefined };

async function readBlob({ folders, key, range }: ReadInput): Promise<Readable> {
  const file = await openBlob(folders, key);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new BlobNotFoundError(key);
    if (range === undefined && found.size === 0) {
      await file.close();
      return Readable.from([]);
    }
    const { start, end } = resolveRange(range ?? { start: 0, end: found.size - 1 }, found.size);
    return file.createReadStream({ start, end, highWaterMark: READ_BYTES });
  } catch (error) {
    await file.close();
    throw toReadError(key, error);
  }
}

async function openBlob(folders: BlobFolders, key: BlobKey): Promise<FileHandle> {
  const { folder, path } = folders.locate(key);
  try {
    await folders.checkFolder(folder);
    return await open(path, READ_FLAGS);
  } catch (error) {
    throw toReadError(key, error);
  }
}

// A symbolic link in the place of a file is no blob.
function toReadError(key: BlobKey, error: unknown): Error {
  if (error instanceof BlobNotFoundError) return error;
  const isMissing = ['ENOENT', 'ELOOP'].includes(errorCodeOf(error) ?? '');
  return isMissing ? new BlobNotFoundError(key, { cause: error }) : toStorageFault(error);
}

async function deleteBlob(folders: BlobFolders, key: BlobKey): Promise<void> {
  const { folder, path } = folders.locate(key);
  try {
    await folders.checkFolder(folder);
    await unlink(path);
    await syncFolder(folder);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw toStorageFault(error);
  }
}

type CopyInput = { folders: BlobFolders; key: BlobKey; targetPath: string };

async function copyBlob({ folders, key, targetPath }: CopyInput): Promise<void> {
  const { path } = await findBlob(folders, key);
  try {
    // A reflink where the file system has them, else a copy made by the kernel; the mode of the source (0600) goes along.
    await copyFile(path, targetPath, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    throw errorCodeOf(error) === 'EEXIST' || errorCodeOf(error) === 'ENOENT' ? error : toStorageFault(error);
  }
}

/** Does what a put needs: a new file, a byte, a hard link. */
async function checkWritable(temporaryFolder: string): Promise<void> {
  const path = join(temporaryFolder, randomUUID());
  const linkPath = `${path}-link`;
  try {
    await writeFile(path, 'ready', { flag: 'wx', mode: 0o600 });
    await link(path, linkPath);
  } catch (error) {
    throw toStorageFault(error);
  } finally {
    await Promise.allSettled([unlink(path), unlink(linkPath)]);
  }
}
