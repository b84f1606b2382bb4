import type { BigIntStats } from 'node:fs';
import { opendir, readFile, stat, statfs } from 'node:fs/promises';
import { ENTRIES_PER_PART, type Held, MIN_ENTRY_BYTES } from '../folder/measure-folder.ts';

const BLOCK_BYTES = 512;
/** `f_type` of file systems in memory, which are limited as memory is: tmpfs and hugetlbfs. */
const IN_MEMORY = new Set([0x01021994, 0x958458f6]);

/** A process that has more files open counts as if it held an infinite amount: nothing that it hides there is looked for. */
export const MAX_OPEN_FILES = 10_000;

type Look = { folderDevice: bigint; seen: Set<string>; held: Held; count: number };

/**
 * Adds the disk space of files that have no name any more, and that processes have open or mapped, each once; yields after each part. Not seen are files on
 * their way between two processes, and, unless root looks, those that are mapped and not open.
 */
export async function* measureUnlinked(pids: Iterable<number>, folder: string, held: Held): AsyncGenerator<void> {
  const folderDevice = await stat(folder, { bigint: true }).then(
    ({ dev }) => dev,
    () => -1n,
  );
  const look: Look = { folderDevice, seen: new Set(), held, count: 0 };
  for (const pid of pids) {
    for await (const place of listOpen(pid, held)) {
      await measurePlace(look, place);
      look.count += 1;
      if (look.count % ENTRIES_PER_PART === 0) yield;
    }
  }
}

async function* listOpen(pid: number, held: Held): AsyncGenerator<string> {
  let count = 0;
  try {
    for await (const { name } of await opendir(`/proc/${pid}/fd`)) {
      count += 1;
      if (count > MAX_OPEN_FILES) held.bytes = Number.POSITIVE_INFINITY;
      if (count > MAX_OPEN_FILES) return;
      yield `/proc/${pid}/fd/${name}`;
    }
  } catch {
    // The process has ended, or this one may not look into it.
  }
  yield* listMapped(pid);
}

async function* listMapped(pid: number): AsyncGenerator<string> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  for (const line of maps.split('\n')) {
    if (!line.endsWith(' (deleted)')) continue;
    const [start = '', end = ''] = line.slice(0, line.indexOf(' ')).split('-');
    // The names in `map_files` have no leading zeros.
    yield `/proc/${pid}/map_files/${start.replace(/^0+(?=.)/, '')}-${end.replace(/^0+(?=.)/, '')}`;
  }
}

async function measurePlace({ folderDevice, seen, held }: Look, place: string): Promise<void> {
  // Numbers of inodes may be larger than what a double tells apart.
  const found = await stat(place, { bigint: true }).catch(() => undefined);
  if (!found?.isFile() || found.nlink > 0n) return;
  const file = `${found.dev}:${found.ino}`;
  if (seen.has(file) || (found.dev !== folderDevice && (await isInMemory(place)))) return;
  seen.add(file);
  held.bytes += sizeOf(found);
}

async function isInMemory(place: string): Promise<boolean> {
  return IN_MEMORY.has((await statfs(place).catch(() => undefined))?.type ?? 0);
}

const sizeOf = ({ blocks }: BigIntStats): number => Math.max(Number(blocks) * BLOCK_BYTES, MIN_ENTRY_BYTES);
