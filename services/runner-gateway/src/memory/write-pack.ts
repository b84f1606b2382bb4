import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { BlobKey, BlobStore } from '@attache/blob-store';

const MIN_WINDOW_LOG = 20;
/** 128 MiB: as far back as a reader looks without being asked to. */
const MAX_WINDOW_LOG = 27;

export type WrittenPack = { storedBytes: number; sha256: string };

/**
 * Packs bytes and stores them. Transcripts hold each picture twice, megabytes apart: only a match over long distances finds that. `expectedBytes` is what
 * comes at least.
 */
export async function writePack(
  blobs: Pick<BlobStore, 'put'>,
  key: BlobKey,
  bytes: AsyncIterable<Buffer>,
  expectedBytes: number,
): Promise<WrittenPack> {
  const windowLog = Math.ceil(Math.log2(Math.max(1, expectedBytes)));
  const packer = createZstdCompress({
    params: {
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_windowLog]: Math.min(MAX_WINDOW_LOG, Math.max(MIN_WINDOW_LOG, windowLog)),
    },
  });
  const digest = createHash('sha256');
  let storedBytes = 0;
  const packed = (async function* measure() {
    for await (const chunk of packer as AsyncIterable<Buffer>) {
      digest.update(chunk);
      storedBytes += chunk.length;
      yield chunk;
    }
  })();
  const piped = pipeline(Readable.from(bytes, { objectMode: false }), packer);
  piped.catch(() => undefined);
  try {
    await blobs.put(key, packed);
    await piped;
  } finally {
    packer.destroy();
  }
  return { storedBytes, sha256: digest.digest('hex') };
}

/** The bytes that were packed; no more than `rawBytes` of them. Throws if they are others. */
export async function* readPack(blobs: Pick<BlobStore, 'get'>, key: BlobKey, rawBytes: number): AsyncGenerator<Buffer> {
  const unpacker = createZstdDecompress();
  const piped = pipeline(await blobs.get(key), unpacker);
  piped.catch(() => undefined);
  let readBytes = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      readBytes += chunk.length;
      if (readBytes > rawBytes) throw new Error('a pack holds more than was packed');
      yield chunk;
    }
    await piped;
  } finally {
    unpacker.destroy();
  }
  if (readBytes !== rawBytes) throw new Error('a pack holds less than was packed');
}
