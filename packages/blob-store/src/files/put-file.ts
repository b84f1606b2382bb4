import { randomUUID } from 'node:crypto';
import { linkSync, unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@attache/contracts';
import type { BlobKey } from '../blob-key.ts';
import { type BodyLimits, limitBody } from '../limit-body.ts';
import { errorCodeOf, toStorageFault } from '../storage-fault.ts';
import type { BlobFolders } from './blob-folders.ts';
import { type NewFile, openNewFile } from './new-file.ts';
import type { OpenFolder } from './real-folders.ts';
import { writeChunks } from './write-chunks.ts';

type PutInput = { folders: BlobFolders; key: BlobKey; body: AsyncIterable<Uint8Array>; limits: BodyLimits };

/**
 * Puts a body under its key: temporary file, sync, hard link (which never replaces a file), sync of the folder. Only the two syncs and the
 * writes of a large body wait for a disk; all else is done at once, without a thread.
 */
export async function putFile({ folders, key, body, limits }: PutInput): Promise<{ sizeBytes: number }> {
  const { folder, path } = folders.locate(key);
  const temporaryPath = join(folders.temporaryFolder, randomUUID());
  const file = makeOnDemand(temporaryPath);
  // It runs while the body is read; what it throws is met where it is awaited.
  const folderOpened = folders.openFolder(folder);
  folderOpened.catch(ignore);
  let sizeBytes: number;
  try {
    sizeBytes = await writeChunks(file, limitBody(body, limits));
    await settleFile(file, folderOpened);
    limits.signal?.throwIfAborted();
    linkOnce(temporaryPath, path);
  } catch (error) {
    file.close();
    await Promise.all([unlink(temporaryPath).catch(ignore), folderOpened.then((opened) => opened.close(), ignore)]);
    throw error;
  }
  const published = publish(await folderOpened, path);
  file.close();
  removeTemporary(temporaryPath);
  await published;
  return { sizeBytes };
}

/** Created with the first write, so that the reader of the body meets the error, and releases the body. */
function makeOnDemand(path: string): NewFile {
  let made: NewFile | undefined;
  const make = () => {
    made ??= openNewFile(path);
    return made;
  };
  return {
    write: async (chunks) => make().write(chunks),
    writeAtOnce: (chunks) => make().writeAtOnce(chunks),
    sync: async () => make().sync(),
    close: () => made?.close(),
  };
}

async function settleFile(file: NewFile, folderOpened: Promise<OpenFolder>): Promise<void> {
  try {
    await file.sync();
    await folderOpened;
  } catch (error) {
    throw toStorageFault(error);
  }
}

function linkOnce(temporaryPath: string, path: string): void {
  try {
    linkSync(temporaryPath, path);
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw toStorageFault(error);
    throw new Fault('UPLOAD_CONFLICT', 'A blob is already stored under this key; blobs never change. Use a new key.');
  }
}

async function publish(folder: OpenFolder, path: string): Promise<void> {
  try {
    await folder.sync();
  } catch (error) {
    await unlink(path);
    throw toStorageFault(error);
  } finally {
    folder.close();
  }
}

/** Its bytes stay under their other name. What is left behind is removed when the store is opened next. */
function removeTemporary(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or in a folder that refuses it.
  }
}

function ignore(): void {}
