import type { Extent, KeptFile, KeptFiles } from './kept-file.ts';

/** Adds a stretch behind those of a file, merged with the last one where it continues that. */
export function pushExtent(extents: Extent[], next: Extent): void {
  if (next.sizeBytes === 0) return;
  const last = extents.at(-1);
  const isNext = last !== undefined && last.pack === next.pack && last.offset + last.sizeBytes === next.offset;
  if (isNext) last.sizeBytes += next.sizeBytes;
  else extents.push({ ...next });
}

/** The same files by the packs alone that they still need. */
export function dropUnusedPacks({ packs, files }: KeptFiles): KeptFiles {
  const used = new Set(files.flatMap(({ extents }) => extents.map(({ pack }) => pack)));
  const positions = new Map([...used].toSorted((one, other) => one - other).map((pack, index) => [pack, index]));
  const move = (file: KeptFile): KeptFile => ({
    ...file,
    extents: file.extents.map((extent) => ({ ...extent, pack: positions.get(extent.pack) ?? 0 })),
  });
  return { packs: packs.filter((_, index) => used.has(index)), files: files.map(move) };
}

/** Fetching more of them would make a restore slow. */
const MAX_PACKS = 64;
const MAX_WASTE = 2;
const WASTE_BYTES = 1024 * 1024;

/** Whether what a checkpoint holds is to be packed again as a whole: by too many packs, or by packs that hold too much of what is gone. */
export function isScattered(packs: readonly { rawBytes: number }[], sizeBytes: number): boolean {
  const rawBytes = packs.reduce((sum, pack) => sum + pack.rawBytes, 0);
  return packs.length >= MAX_PACKS || rawBytes > MAX_WASTE * sizeBytes + WASTE_BYTES;
}
