import { expect, it } from 'vitest';
import { dropUnusedPacks, isScattered, pushExtent } from './join-extents.ts';
import type { Extent } from './kept-file.ts';

const joined = (...all: Extent[]): Extent[] => {
  const extents: Extent[] = [];
  for (const each of all) pushExtent(extents, each);
  return extents;
};

it('a stretch that continues where the last one ended is part of it; an empty one is nothing', () => {
  const first = { pack: 0, offset: 0, sizeBytes: 10 };
  expect(joined(first, { pack: 0, offset: 10, sizeBytes: 5 })).toEqual([{ pack: 0, offset: 0, sizeBytes: 15 }]);
  expect(joined(first, { pack: 0, offset: 11, sizeBytes: 5 })).toHaveLength(2);
  expect(joined(first, { pack: 1, offset: 10, sizeBytes: 5 })).toHaveLength(2);
  expect(joined(first, { pack: 1, offset: 0, sizeBytes: 0 })).toEqual([first]);
  expect(first).toEqual({ pack: 0, offset: 0, sizeBytes: 10 });
});

it('packs that no file needs are left out, and the others are counted again', () => {
  const file = (...packs: number[]) => ({
    ...{ path: 'a', sizeBytes: 1, sha256: '' },
    extents: packs.map((pack) => ({ pack, offset: 0, sizeBytes: 1 })),
  });
  const { packs, files } = dropUnusedPacks({ packs: ['a', 'b', 'c', 'd'], files: [file(3, 1), file(3)] });
  expect(packs).toEqual(['b', 'd']);
  expect(files.map(({ extents }) => extents.map(({ pack }) => pack))).toEqual([[1, 0], [1]]);
});

it('is packed as a whole again by many packs, or by much that is gone', () => {
  const packs = (count: number, rawBytes: number) => Array.from({ length: count }, () => ({ rawBytes }));
  expect(isScattered(packs(63, 1_000), 63_000)).toBe(false);
  expect(isScattered(packs(64, 1_000), 64_000)).toBe(true);
  expect(isScattered(packs(1, 3_048_576), 1_000_000)).toBe(false);
  expect(isScattered(packs(1, 3_048_577), 1_000_000)).toBe(true);
});
