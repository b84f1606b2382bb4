import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobKey, parseBlobKey } from '../blob-key.ts';
import { toStorageFault } from '../storage-fault.ts';
import { createFolderMaker, createLinkError, makeRealFolder } from './real-folders.ts';

const REMEMBERED_FOLDERS = 20_000;

export type BlobFolders = Awaited<ReturnType<typeof openBlobFolders>>;

/**
 * The folders of a file blob store: `<root>/<tenant>/<2 hex>/<32 hex>` for blobs and `<root>/tmp` for bodies in progress. This is the only place that makes a
 * path of a key. All folders are 0700 and none of them may be a symbolic link. Opening removes files that a killed process left in `tmp`.
 */
export async function openBlobFolders(rootPath: string) {
  await mkdir(rootPath, { recursive: true, mode: 0o700 });
  const root = await realpath(rootPath);
  const temporaryFolder = join(root, 'tmp');
  await makeRealFolder(temporaryFolder);
  await removeEntries(temporaryFolder);
  const { openFolder } = createFolderMaker(root);
  const checked = new Set<string>();

  return {
    temporaryFolder,
    openFolder,
    locate(key: BlobKey): { folder: string; path: string } {
      const [tenant = '', name = ''] = parseBlobKey(key).split('/');
      const folder = join(root, tenant, name.slice(0, 2));
      return { folder, path: join(folder, name) };
    },
    /** Throws `ENOENT` where a folder is missing, and Fault `STORAGE_UNAVAILABLE` where a symbolic link is on the way to it. */
    async checkFolder(folder: string): Promise<void> {
      if (checked.has(folder)) return;
      if ((await realpath(folder)) !== folder) throw toStorageFault(createLinkError());
      if (checked.size >= REMEMBERED_FOLDERS) checked.clear();
      checked.add(folder);
    },
  };
}

async function removeEntries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
