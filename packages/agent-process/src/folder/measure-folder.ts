import type { Dirent } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { listEntries, openFolder, placeIn, placeOf } from './open-folder.ts';

/** Entries of a part of a walk: between two parts others have their turn. */
export const ENTRIES_PER_PART = 4_000;
/** Each entry counts for this at least: it takes an inode and a name, of which a disk has a limited number. */
export const MIN_ENTRY_BYTES = 4_096;
/** Each level of a walk holds two descriptors. */
export const MAX_DEPTH = 64;
const ENTRIES_AT_ONCE = 32;
/** Files with several names that a walk remembers, to count each once. Beyond them each name counts as a file, so that hard links take no memory. */
export const MAX_REMEMBERED_FILES = 100_000;
// The unit of st_blocks, whatever the size of the file system's own blocks.
const BLOCK_BYTES = 512;

/** Counted so far. A folder that nests deeper than `MAX_DEPTH` counts as infinitely large. */
export type Held = { bytes: number };

/**
 * Adds the disk space that a folder uses, its subfolders included, to `held`; yields after each part. Each step is taken from the folder that the one
 * before opened, so that the length of a path is no limit, and no link is followed. A sparse file counts for its written part, and a file that disappears
 * meanwhile for nothing. A further name of a file that was counted counts for what each entry does at least.
 */
export async function* measureFolder(folder: string, held: Held): AsyncGenerator<void> {
  const top = await openFolder(folder);
  if (top !== undefined) yield* measureLevel(top, { held, entryCount: 0, counted: new Set() }, 1);
}

type Walk = { held: Held; entryCount: number; counted: Set<string> };

async function* measureLevel(folder: FileHandle, walk: Walk, depth: number): AsyncGenerator<void> {
  await using opened = folder;
  if (depth > MAX_DEPTH) {
    walk.held.bytes = Number.POSITIVE_INFINITY;
    return;
  }
  for await (const entries of listInGroups(placeOf(opened))) {
    const sizes = await Promise.all(entries.map(({ name }) => measureEntry(placeIn(opened, name), walk.counted)));
    for (const size of sizes) walk.held.bytes += size;
    walk.entryCount += entries.length;
    if (walk.entryCount >= ENTRIES_PER_PART) {
      walk.entryCount = 0;
      yield;
    }
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      const below = await openFolder(placeIn(opened, name));
      if (below !== undefined) yield* measureLevel(below, walk, depth + 1);
    }
  }
}

async function* listInGroups(place: string): AsyncGenerator<Dirent<Buffer>[]> {
  let group: Dirent<Buffer>[] = [];
  try {
    for await (const entry of listEntries(place)) {
      group.push(entry);
      if (group.length < ENTRIES_AT_ONCE) continue;
      yield group;
      group = [];
    }
  } catch {
    // It has just gone.
  }
  if (group.length > 0) yield group;
}

async function measureEntry(place: Buffer, counted: Set<string>): Promise<number> {
  try {
    // Numbers of inodes may be larger than what a double tells apart, and two files must not count as one.
    const found = await lstat(place, { bigint: true });
    if (found.nlink > 1n && !found.isDirectory()) {
      const file = `${found.dev}:${found.ino}`;
      if (counted.has(file)) return MIN_ENTRY_BYTES;
      if (counted.size < MAX_REMEMBERED_FILES) counted.add(file);
    }
    return Math.max(Number(found.blocks) * BLOCK_BYTES, MIN_ENTRY_BYTES);
  } catch {
    return 0;
  }
}
