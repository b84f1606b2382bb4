import { closeSync, fdatasync, openSync, writev, writevSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorCodeOf, toStorageFault } from '../storage-fault.ts';

/** A file that was not there before. What takes no longer than asking a thread to do it is done at once. */
export type NewFile = {
  /** Returns how many bytes were taken: a full disk takes a part before it refuses. */
  write(chunks: readonly Uint8Array[]): Promise<number>;
  /** The same without a thread, for few bytes. */
  writeAtOnce(chunks: readonly Uint8Array[]): number;
  /** Makes its bytes durable. */
  sync(): Promise<void>;
  close(): void;
};

const writevAsync = promisify(writev);
const syncAsync = promisify(fdatasync);

/**
 * Creates a file (0600). The caller handles the cases that it exists, or that its folder does not: EEXIST and ENOENT pass unchanged, all other errors are
 * thrown as STORAGE_UNAVAILABLE.
 */
export function openNewFile(path: string): NewFile {
  const file = createFile(path);
  let isOpen = true;
  return {
    write: async (chunks) => (await writevAsync(file, chunks)).bytesWritten,
    writeAtOnce: (chunks) => writevSync(file, chunks),
    sync: () => syncAsync(file),
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const code = errorCodeOf(error);
    throw code === 'EEXIST' || code === 'ENOENT' ? error : toStorageFault(error);
  }
}
