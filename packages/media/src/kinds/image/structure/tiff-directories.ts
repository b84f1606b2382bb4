import type { RandomAccess } from '../../../file/read-file.ts';

type Entry = { type: number; count: number; valueAt: number };
export type TiffDirectory = { layout: Layout; entries: ReadonlyMap<number, Entry> };

/** The order of bytes, and the sizes of what is in a directory: a large TIFF has wider numbers. */
type Layout = { isLittle: boolean; countBytes: number; entryBytes: number; offsetBytes: number };

const mostDirectories = 1000;
const mostEntries = 1000;

/** The directories of a TIFF, one for each of its pictures, up to one that lies beyond the end of the file. */
export function listDirectories(file: RandomAccess): TiffDirectory[] {
  const layout = readLayout(file);
  if (layout === undefined) return [];
  const found = new Map<number, TiffDirectory>();
  let offset = readUint(file, layout, layout.offsetBytes, layout.offsetBytes);
  // A chain may lead back to one that was read.
  while (offset !== undefined && offset > 0 && !found.has(offset) && found.size < mostDirectories) {
    const read = readDirectory(file, layout, offset);
    if (read === undefined) break;
    found.set(offset, { layout, entries: read.entries });
    offset = read.next;
  }
  return [...found.values()];
}

/** The first whole numbers that a directory holds under a tag; none where it is missing or holds something else. */
export function readNumbers(file: RandomAccess, directory: TiffDirectory, tag: number, most: number): number[] {
  const entry = directory.entries.get(tag);
  const size = entry && sizes[entry.type];
  if (entry === undefined || size === undefined) return [];
  const numbers: number[] = [];
  for (let index = 0; index < Math.min(entry.count, most); index += 1) {
    const value = readUint(file, directory.layout, entry.valueAt + index * size, size);
    if (value === undefined) return [];
    numbers.push(value);
  }
  return numbers;
}

/** Whether all whole numbers of a directory lie within the file. */
export function holdsAllNumbers(file: RandomAccess, { entries }: TiffDirectory): boolean {
  return [...entries.values()].every(
    ({ type, count, valueAt }) => valueAt + count * (sizes[type] ?? 0) <= file.sizeBytes,
  );
}

// Bytes of a whole number, by the number of its type.
const sizes: Record<number, number> = { 1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8 };

function readLayout(file: RandomAccess): Layout | undefined {
  const mark = file.bytesAt(0, 4).toString('latin1');
  const isLittle = mark.startsWith('II');
  if (['II*\0', 'MM\0*'].includes(mark)) return { isLittle, countBytes: 2, entryBytes: 12, offsetBytes: 4 };
  if (['II+\0', 'MM\0+'].includes(mark)) return { isLittle, countBytes: 8, entryBytes: 20, offsetBytes: 8 };
  return undefined;
}

function readDirectory(file: RandomAccess, layout: Layout, offset: number) {
  const { countBytes, entryBytes, offsetBytes } = layout;
  const count = readUint(file, layout, offset, countBytes);
  const start = offset + countBytes;
  if (count === undefined || count > mostEntries || start + count * entryBytes > file.sizeBytes) return undefined;
  const entries = new Map<number, Entry>();
  for (let index = 0; index < count; index += 1) {
    const at = start + index * entryBytes;
    const [tag, type] = [readUint(file, layout, at, 2) ?? 0, readUint(file, layout, at + 2, 2) ?? 0];
    const values = readUint(file, layout, at + 4, offsetBytes) ?? 0;
    const inPlace = at + 4 + offsetBytes;
    const isInPlace = values * (sizes[type] ?? 1) <= offsetBytes;
    const valueAt = isInPlace ? inPlace : (readUint(file, layout, inPlace, offsetBytes) ?? 0);
    entries.set(tag, { type, count: values, valueAt });
  }
  return { entries, next: readUint(file, layout, start + count * entryBytes, offsetBytes) };
}

function readUint(file: RandomAccess, { isLittle }: Layout, offset: number, size: number): number | undefined {
  if (offset + size > file.sizeBytes) return undefined;
  const bytes = file.bytesAt(offset, size);
  if (size === 8) return Number(isLittle ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE());
  return isLittle ? bytes.readUIntLE(0, size) : bytes.readUIntBE(0, size);
}
