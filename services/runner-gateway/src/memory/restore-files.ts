import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { StoredCheckpoint } from '@attache/database';
import type { Extent } from '@attache/domain';
import { isMemoryPath, type ProgramMemory } from '@attache/programs/program-memory';
import { readStretch } from './read-stretch.ts';
import { readPack } from './write-pack.ts';

/** A stretch of a pack, and its place in its file. */
type Target = Extent & { file: FileHandle; position: number };

/**
 * Writes the files of a checkpoint into a folder that is made for them, and reads each again: programs silently accept a transcript that was cut short.
 * Throws if anything is not as it was stored; the folder is then gone.
 */
export async function restoreFiles(
  blobs: Pick<BlobStore, 'get'>,
  { files, packs, reference }: Pick<StoredCheckpoint, 'files' | 'packs' | 'reference'>,
  { folder, memory }: { folder: string; memory: ProgramMemory },
): Promise<void> {
  for (const each of files) {
    if (!isMemoryPath(memory, reference, each.path))
      throw new Error('a checkpoint names a file that is not of its program');
  }
  await rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await using opened = new AsyncDisposableStack();
    const targets: Target[] = [];
    const handles: FileHandle[] = [];
    for (const { path: name, extents } of files) {
      const file = opened.use(await makeFile(path.join(folder, name)));
      handles.push(file);
      let position = 0;
      for (const extent of extents) {
        targets.push({ ...extent, file, position });
        position += extent.sizeBytes;
      }
    }
    for (const [index, { key, rawBytes }] of packs.entries())
      await spread(
        readPack(blobs, parseBlobKey(key), rawBytes),
        targets.filter(({ pack }) => pack === index),
      );
    for (const [index, file] of files.entries()) {
      if (!(await isSame(handles[index], file))) throw new Error('a file is not as it was stored');
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function makeFile(place: string): Promise<FileHandle> {
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  return open(place, 'wx+', 0o600);
}

/** Writes to each target its share of the bytes. */
async function spread(bytes: AsyncIterable<Buffer>, targets: readonly Target[]): Promise<void> {
  let start = 0;
  for await (const chunk of bytes) {
    const end = start + chunk.length;
    for (const { file, offset, sizeBytes, position } of targets) {
      const [from, to] = [Math.max(start, offset), Math.min(end, offset + sizeBytes)];
      if (from < to) await file.write(chunk, from - start, to - from, position + from - offset);
    }
    start = end;
  }
}

async function isSame(file: FileHandle | undefined, wanted: { sizeBytes: number; sha256: string }): Promise<boolean> {
  if (file === undefined || (await file.stat()).size !== wanted.sizeBytes) return false;
  const digest = createHash('sha256');
  for await (const chunk of readStretch(file, 0, wanted.sizeBytes)) digest.update(chunk);
  return digest.digest('hex') === wanted.sha256;
}
