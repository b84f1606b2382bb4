import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The sha256 of what comes in pieces. */
export type PieceDigest = {
  add(piece: Uint8Array): void;
  /** With the last piece; nothing may be added behind it. */
  end(piece: Uint8Array): { sha256: string; sizeBytes: number };
};

export function createPieceDigest(): PieceDigest {
  let hashing: Hash | undefined;
  let sizeBytes = 0;
  return {
    add(piece) {
      if (piece.length === 0) return;
      hashing ??= createHash('sha256');
      hashing.update(piece);
      sizeBytes += piece.length;
    },
    end(piece) {
      sizeBytes += piece.length;
      // In one go it costs a third of what an object for it does.
      const sha256 = hashing === undefined ? hash('sha256', piece) : hashing.update(piece).digest('hex');
      return { sha256, sizeBytes };
    },
  };
}

/** Checksum and size of what comes in pieces: enough to see how far a conversation is known, and no proof. */
export type PieceKey = { add(piece: Uint8Array): void; end(): string };

export function createPieceKey(): PieceKey {
  let checksum = 0;
  let sizeBytes = 0;
  return {
    add(piece) {
      if (piece.length === 0) return;
      checksum = crc32(piece, checksum);
      sizeBytes += piece.length;
    },
    end: () => `${sizeBytes}-${checksum | 0}`,
  };
}
