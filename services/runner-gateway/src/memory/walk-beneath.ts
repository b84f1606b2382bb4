import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 10_000;

/** A file or link beneath a folder. `place` is the path of the folder around it, for as long as it is visited. */
export type Visited = { place: string; name: string; path: string };

/** A test for each name from the folder on; `**` as the last one is every entry below. */
export type PathPattern = readonly (RegExp | '**')[];

/**
 * Visits the files and links in a folder that have such a path. Each step is taken from the folder that the one before opened, and none follows a link.
 * Folders are not visited themselves.
 */
export async function walkBeneath(
  folder: string,
  pattern: PathPattern,
  visit: (visited: Visited) => Promise<void>,
): Promise<void> {
  const top = await openFolder(folder);
  if (top === undefined) return;
  const walk: Walk = { visit, left: MAX_ENTRIES };
  await walkFolder(walk, top, pattern, '');
}

type Walk = { visit: (visited: Visited) => Promise<void>; left: number };

async function walkFolder(walk: Walk, folder: FileHandle, pattern: PathPattern, above: string): Promise<void> {
  const place = `/proc/self/fd/${folder.fd}`;
  try {
    for (const entry of await readdir(place, { withFileTypes: true })) await enter(walk, place, entry, pattern, above);
  } finally {
    await folder.close();
  }
}

async function enter(walk: Walk, place: string, entry: Dirent, pattern: PathPattern, above: string): Promise<void> {
  const { name } = entry;
  const [test, ...rest] = pattern;
  const isAny = test === '**';
  const path = above === '' ? name : `${above}/${name}`;
  if (test === undefined || (!isAny && !test.test(name)) || path.split('/').length > MAX_DEPTH) return;
  walk.left -= 1;
  if (walk.left < 0) throw new Error(`there are more than ${MAX_ENTRIES} files`);
  if (entry.isDirectory()) {
    const below = await openFolder(`${place}/${name}`);
    if (below !== undefined) await walkFolder(walk, below, isAny ? pattern : rest, path);
  } else if (isAny || rest.length === 0) {
    await walk.visit({ place, name, path });
  }
}

// An entry that is gone, or is no longer a folder, is skipped.
const openFolder = (path: string): Promise<FileHandle | undefined> =>
  open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
