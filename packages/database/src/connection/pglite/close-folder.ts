import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;

/** Makes the folder of an embedded database where it is missing, and closes it to all users but its owner. */
export function makeClosedFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  close(folder);
}

/**
 * Closes all that is in such a folder: PGlite lets everybody read and write the files of a new database, whatever the umask. No statement runs
 * meanwhile.
 */
export function closeFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() || entry.isDirectory()) close(join(entry.parentPath, entry.name));
}

function close(place: string): void {
  const { mode, uid } = lstatSync(place);
  const user = process.getuid?.();
  if ((mode & OTHERS) !== 0 && (user === 0 || user === uid)) chmodSync(place, mode & 0o7777 & ~OTHERS);
}
