import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@attache/contracts';
import type { BlobKey } from '../blob-key.ts';
import type { PutOptions } from '../blob-store.ts';
import { limitBody } from '../limit-body.ts';
import { errorCodeOf, toStorageFault } from '../storage-fault.ts';
import type { BlobFolders } from './blob-folders.ts';
import { writeChunks } from './write-chunks.ts';

type PutInput = { folders: BlobFolders; key: BlobKey; body: AsyncIterable<Uint8Array>; options: PutOptions };

/** Puts a body under its key: temporary file, sync, hard link (which never replaces a file), sync of the folder. */
export async function putFile({ folders, key, body, options }: PutInput): Promise<{ sizeBytes: number }> {
  const { folder, path } = folders.locate(key);
  const temporaryPath = join(folders.temporaryFolder, randomUUID());
  // Both run while the body is read; what they throw is met where they are awaited.
  const opened = open(temporaryPath, 'wx', 0o600);
  const folderOpened = folders.openFolder(folder);
  opened.catch(ignore);
  folderOpened.catch(ignore);
  let sizeBytes: number;
  try {
    sizeBytes = await writeChunks(opened, limitBody(body, options));
    await settleFile(opened, folderOpened);
    options.signal?.throwIfAborted();
    await linkOnce(temporaryPath, path);
  } catch (error) {
    await Promise.all([discard(opened, temporaryPath), closeQuietly(folderOpened)]);
    throw error;
  }
  await Promise.all([discard(opened, temporaryPath), publish(folderOpened, path)]);
  return { sizeBytes };
}

async function settleFile(opened: Promise<FileHandle>, folderOpened: Promise<FileHandle>): Promise<void> {
  try {
    await (await opened).datasync();
    await folderOpened;
  } catch (error) {
    throw toStorageFault(error);
  }
}

async function linkOnce(temporaryPath: string, path: string): Promise<void> {
  try {
    await link(temporaryPath, path);
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw toStorageFault(error);
    throw new Fault('UPLOAD_CONFLICT', 'A blob is already stored under this key; blobs never change. Use a new key.');
  }
}

async function publish(folderOpened: Promise<FileHandle>, path: string): Promise<void> {
  try {
    await (await folderOpened).sync();
  } catch (error) {
    await unlink(path);
    throw toStorageFault(error);
  } finally {
    // Nothing depends on it: the folder is only read.
    void closeQuietly(folderOpened);
  }
}

// What it leaves behind is removed when the store is opened next.
async function discard(opened: Promise<FileHandle>, temporaryPath: string): Promise<void> {
  // A file that is still being opened would be made after it was removed.
  await opened.catch(ignore);
  await Promise.all([closeQuietly(opened), unlink(temporaryPath).catch(ignore)]);
}

function closeQuietly(opened: Promise<FileHandle>): Promise<void> {
  return opened.then((handle) => handle.close()).catch(ignore);
}

function ignore(): void {}
