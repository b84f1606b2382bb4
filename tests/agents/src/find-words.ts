import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Files below a folder that were written since then and hold one of the words. */
export async function findWords(
  folder: string,
  words: readonly (string | Buffer)[],
  writtenSince: number,
): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const facts = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
      if (facts === undefined || facts.mtimeMs < writtenSince || facts.size > MAX_FILE_BYTES) return [];
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      return words.some((word) => bytes.includes(word)) ? [path] : [];
    }),
  );
  return found.flat();
}
