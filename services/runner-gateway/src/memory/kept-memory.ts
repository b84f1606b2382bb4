import { hash } from 'node:crypto';
import type { Extent, KeptFile } from '@attache/domain';

/** What the store has of an agent's memory: the next checkpoint adds to it. */
export type KeptMemory = {
  packs: readonly { blobId: string; rawBytes: number }[];
  files: readonly KeptFile[];
};

export const nothingKept: KeptMemory = { packs: [], files: [] };

/** SQLite changes pages where they stand. With larger blocks more is stored again that did not change. */
export const BLOCK_BYTES = 16 * 1024;
const DIGEST_LENGTH = 24;

/** 96 bits tell the blocks of one database apart; the digest of the whole file says whether they did. */
export const digestBlock = (block: Buffer): string => hash('sha256', block).slice(0, DIGEST_LENGTH);

/** Where each block of a database is found. */
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
