import { closeSync, constants, fsync, openSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCodeOf } from '../storage-fault.ts';

const REMEMBERED_FOLDERS = 20_000;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export type OpenFolder = {
  /** Makes its entries durable. */
  sync(): Promise<void>;
  close(): void;
};

const syncAsync = promisify(fsync);

function openFolderNow(folder: string): OpenFolder {
  const file = openSync(folder, FOLDER_FLAGS);
  return { sync: () => syncAsync(file), close: () => closeSync(file) };
}

/** Makes folders (0700) below a root, each once in the life of this process, and durably: the parents are synced too. */
export function createFolderMaker(root: string): { openFolder(folder: string): Promise<OpenFolder> } {
  const made = new Map<string, Promise<void>>();

  function makeFolder(folder: string): Promise<void> {
    const known = made.get(folder);
    if (known !== undefined) return known;
    if (made.size >= REMEMBERED_FOLDERS) made.clear();
    const making = makeNewFolder(folder);
    made.set(folder, making);
    making.catch(() => made.delete(folder));
    return making;
  }

  async function makeNewFolder(folder: string): Promise<void> {
    const parent = dirname(folder);
    if (parent !== root) await makeFolder(parent);
    await makeRealFolder(folder);
    await syncFolder(parent);
  }

  return {
    /** Opens a folder for `sync`, after making it where it is missing. */
    async openFolder(folder) {
      await makeFolder(folder);
      try {
        return openFolderNow(folder);
      } catch (error) {
        made.delete(folder);
        throw error;
      }
    },
  };
}

/** Makes a folder (0700) whose parent exists. What is already there must be a folder, not a link to one. */
export async function makeRealFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    const found = await lstat(folder);
    if (found.isSymbolicLink()) throw createLinkError();
    if (!found.isDirectory()) throw Object.assign(new Error('A folder of the store is a file.'), { code: 'ENOTDIR' });
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const opened = openFolderNow(folder);
  try {
    await opened.sync();
  } finally {
    opened.close();
  }
}

/** The system's error for a link that must not be followed, for links that only the store sees. */
export function createLinkError(): Error {
  return Object.assign(new Error('A folder of the store is a symbolic link.'), { code: 'ELOOP' });
}
