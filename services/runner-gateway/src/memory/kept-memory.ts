import { hash } from 'node:crypto';
import type { Extent, KeptFile } from '@attache/domain';

/** The part of an agent's memory that the store has: the next checkpoint adds to it. */
export type KeptMemory = {
  packs: readonly { blobId: string; rawBytes: number }[];
  files: readonly KeptFile[];
};

export const nothingKept: KeptMemory = { packs: [], files: [] };

/** SQLite changes pages in place. Larger blocks would store more bytes again that did not change. */
export const BLOCK_BYTES = 16 * 1024;
const DIGEST_LENGTH = 24;

/** 96 bits distinguish the blocks of one database; the digest of the whole file verifies that they did. */
export const digestBlock = (block: Buffer): string => hash('sha256', block).slice(0, DIGEST_LENGTH);

/** The extent of each block of a database, by its digest. */
export function locateBlocks({ extents, blocks = '' }: KeptFile): Map<string, Extent> {
  const found = new Map<string, Extent>();
  let next = 0;
  for (const { pack, offset, sizeBytes } of extents) {
    for (let within = 0; within < sizeBytes; within += BLOCK_BYTES) {
      const digest = blocks.slice(next, next + DIGEST_LENGTH);
      next += DIGEST_LENGTH;
      const extent = { pack, offset: offset + within, sizeBytes: Math.min(BLOCK_BYTES, sizeBytes - within) };
      if (digest !== '') found.set(digest, extent);
    }
  }
  return found;
}
