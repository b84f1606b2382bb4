import { constants, type Dirent } from 'node:fs';
import { chmod, type FileHandle, open, opendir } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Names a folder without the right to read it; Node has no constant for it. */
const O_PATH = 0o10000000;
/** The rights of an owner who lists a folder, and of one who also changes it. */
export const LIST = 0o500;
export const CHANGE = 0o700;

/** The path of an open folder, which leads to it wherever it is moved, however long its own path is. */
export const placeOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** The path of an entry of an open folder. A name is bytes: one that is no UTF-8 would lead nowhere as a text. */
export const placeIn = (folder: FileHandle, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${placeOf(folder)}/`), name]);

/** Lists a folder with the names as the disk has them. */
export async function* listEntries(place: string | Buffer): AsyncGenerator<Dirent<Buffer>> {
  // The types of Node know no other names than texts here.
  const entries = await opendir(place as string, { encoding: 'buffer' as BufferEncoding });
  for await (const entry of entries) yield entry as unknown as Dirent<Buffer>;
}

/**
 * Opens a folder of an agent's for reading; undefined if there is none: no link is followed. If its owner lacks a right to it, the owner gets that first,
 * as a gateway that is not root could not look into it otherwise.
 */
export async function openFolder(place: string | Buffer, rights = LIST): Promise<FileHandle | undefined> {
  try {
    const folder = await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (process.getuid?.() !== 0) await giveOwner(folder, rights);
    return folder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? openClosed(place, rights) : undefined;
  }
}

async function openClosed(place: string | Buffer, rights: number): Promise<FileHandle | undefined> {
  try {
    await using named = await open(place, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    await giveOwner(named, rights);
    return await open(placeOf(named), O_RDONLY | O_DIRECTORY);
  } catch {
    return undefined;
  }
}

async function giveOwner(folder: FileHandle, rights: number): Promise<void> {
  const { mode, uid } = await folder.stat();
  if ((mode & rights) !== rights && uid === process.getuid?.()) await chmod(placeOf(folder), (mode & 0o7777) | rights);
}
