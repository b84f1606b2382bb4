import { randomBytes } from 'node:crypto';
import { type FileHandle, rename, rmdir, unlink } from 'node:fs/promises';
import { CHANGE, listEntries, openFolder, placeIn, placeOf } from './open-folder.ts';

const ENTRIES_PER_PART = 4_000;

/**
 * Removes a folder of an agent's that has ended, and yields after each part of the work. Each step is taken from an open folder, so that neither the length
 * of a path nor its depth is a limit: a folder inside a folder is moved up to the top first. No link is followed. Throws if something resists, once the
 * rest is gone.
 */
export async function* removeFolder(folder: string): AsyncGenerator<void> {
  const top = await openFolder(folder, CHANGE);
  if (top === undefined) return;
  const work: Work = { top, doneCount: 0, refusal: undefined };
  try {
    // Folders that are moved up while the top one is listed may not be in the list.
    for (let before = -1; before < work.doneCount; ) {
      before = work.doneCount;
      yield* emptyTop(work);
    }
  } finally {
    await top.close();
  }
  await rmdir(folder).catch((error) => {
    throw work.refusal ?? error;
  });
}

type Work = { top: FileHandle; doneCount: number; refusal: unknown };

async function* emptyTop(work: Work): AsyncGenerator<void> {
  for await (const { name, isFolder } of list(work.top)) {
    const place = placeIn(work.top, name);
    if (isFolder) yield* emptyInto(work, place);
    if (await does(work, () => (isFolder ? rmdir(place) : unlink(place)))) yield;
  }
}

/** Removes the files of a folder in the top one, and moves its folders there. */
async function* emptyInto(work: Work, folder: Buffer): AsyncGenerator<void> {
  const found = await openFolder(folder, CHANGE);
  if (found === undefined) return;
  await using opened = found;
  for await (const { name, isFolder } of list(opened)) {
    const place = placeIn(opened, name);
    if (await does(work, () => (isFolder ? moveUp(place, work.top) : unlink(place)))) yield;
  }
}

/** A folder can be moved by its owner only if that one may write into it, as opening it sees to. */
async function moveUp(from: Buffer, top: FileHandle): Promise<void> {
  await using _ = await openFolder(from, CHANGE);
  await rename(from, `${placeOf(top)}/${randomBytes(16).toString('hex')}`);
}

/** Does a step; answers whether it was the last of a part. */
async function does(work: Work, step: () => Promise<void>): Promise<boolean> {
  try {
    await step();
    work.doneCount += 1;
    return work.doneCount % ENTRIES_PER_PART === 0;
  } catch (error) {
    work.refusal ??= error;
    return false;
  }
}

async function* list(folder: FileHandle): AsyncGenerator<{ name: Buffer; isFolder: boolean }> {
  for await (const entry of listEntries(placeOf(folder))) yield { name: entry.name, isFolder: entry.isDirectory() };
}
