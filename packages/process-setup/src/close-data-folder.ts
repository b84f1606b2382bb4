import { chmod, lstat, readdir } from 'node:fs/promises';

const OTHERS = 0o077;
/** The mode of a folder through which agents and media workers pass to their own: they may enter, and not list. */
const PASSAGE = 0o710;

/**
 * Closes a data folder and what lies directly in it to all users but its owner. Earlier releases, and operators who made the folder themselves,
 * left parts of it open. A folder that lets agents pass keeps that. Links are left as they are: an operator has put them there.
 */
export async function closeDataFolder(path: string): Promise<void> {
  await closeEntry(path);
  for (const name of await readdir(path, { encoding: 'buffer' }))
    await closeEntry(Buffer.concat([Buffer.from(`${path}/`), name]));
}

async function closeEntry(place: string | Buffer): Promise<void> {
  try {
    const found = await lstat(place);
    const mode = found.mode & 0o7777;
    if (found.isSymbolicLink() || (mode & OTHERS) === 0 || (found.isDirectory() && mode === PASSAGE)) return;
    await chmod(place, mode & ~OTHERS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has just gone, or only its owner may close it.
    if (code !== 'ENOENT' && code !== 'EPERM') throw error;
  }
}
