import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type Extent, type KeptFile, pushExtent } from '@attache/domain';
import { openBeneath } from '../mcp/open-beneath.ts';
import type { FoundFile } from './find-memory.ts';
import type { SecretSearch } from './find-secret.ts';
import { BLOCK_BYTES, digestBlock, type KeptMemory, locateBlocks } from './kept-memory.ts';
import { findEndOfLines, readStretch } from './read-stretch.ts';

/** The bytes that were to be packed contain a value that no checkpoint may hold. */
export class SecretFound extends Error {
  override readonly name = 'SecretFound';
}

/** A turn began while its agent's memory was packed: the checkpoint would not count. */
export class TurnBegun extends Error {
  override readonly name = 'TurnBegun';
}

/** The bytes that are not in the store yet, and afterwards the extents of all files. */
export type Packing = {
  bytes: AsyncGenerator<Buffer>;
  /** Complete when the bytes were read to their end. The `pack` of new bytes counts behind the packs that were kept. */
  packed: { files: KeptFile[]; rawBytes: number };
};

type Request = {
  folder: string;
  files: readonly FoundFile[];
  kept: KeptMemory;
  secrets: SecretSearch;
  /** Whether the agent still rests. */
  isStill(): boolean;
};

type Work = Request & Pick<Packing, 'packed'>;

/** Packs the bytes that files of a folder hold beyond the kept ones. Reading the bytes throws `SecretFound` or `TurnBegun`. */
export function packMemory(request: Request): Packing {
  const work: Work = { ...request, packed: { files: [], rawBytes: 0 } };
  return { bytes: packFiles(work), packed: work.packed };
}

async function* packFiles(work: Work): AsyncGenerator<Buffer> {
  for (const file of work.files) {
    await using opened = await openBeneath(work.folder, file.path);
    yield* file.form === 'database' ? packDatabase(work, file, opened) : packGrowing(work, file, opened);
  }
}

const formerOf = ({ kept }: Work, { keptPath }: FoundFile) => kept.files.find(({ path }) => path === keptPath);

/** Packs a growing file: if it begins with the kept bytes, only the bytes after them. */
async function* packGrowing(work: Work, found: FoundFile, file: FileHandle): AsyncGenerator<Buffer> {
  const sizeBytes = found.form === 'lines' ? await findEndOfLines(file, found.sizeBytes) : found.sizeBytes;
  const former = await findBeginning(work, file, sizeBytes, formerOf(work, found));
  const digest = former?.digest ?? createHash('sha256');
  const start = former?.file.sizeBytes ?? 0;
  const extents = former?.file.extents.map((extent) => ({ ...extent })) ?? [];
  const offset = work.packed.rawBytes;
  for await (const chunk of readStretch(file, start, sizeBytes)) {
    digest.update(chunk);
    yield take(work, chunk);
  }
  pushExtent(extents, { pack: work.kept.packs.length, offset, sizeBytes: sizeBytes - start });
  work.packed.files.push({ path: found.keptPath, sizeBytes, sha256: digest.digest('hex'), extents });
}

/** The kept file, if this one begins with it; `digest` then covers its bytes, and takes those that follow. */
async function findBeginning(work: Work, file: FileHandle, sizeBytes: number, former: KeptFile | undefined) {
  if (former === undefined || former.sizeBytes > sizeBytes) return undefined;
  const digest = createHash('sha256');
  for await (const chunk of readStretch(file, 0, former.sizeBytes)) {
    giveWay(work);
    digest.update(chunk);
  }
  return digest.copy().digest('hex') === former.sha256 ? { file: former, digest } : undefined;
}

/** Packs a database: only the blocks that are in no pack yet. */
async function* packDatabase(work: Work, found: FoundFile, file: FileHandle): AsyncGenerator<Buffer> {
  const { kept, packed } = work;
  const former = formerOf(work, found);
  const known = former ? locateBlocks(former) : new Map<string, Extent>();
  const whole = createHash('sha256');
  const digests: string[] = [];
  const extents: Extent[] = [];
  for await (const block of readStretch(file, 0, found.sizeBytes, BLOCK_BYTES)) {
    giveWay(work);
    whole.update(block);
    const digest = digestBlock(block);
    digests.push(digest);
    const present = known.get(digest);
    const extent = present ?? { pack: kept.packs.length, offset: packed.rawBytes, sizeBytes: block.length };
    pushExtent(extents, extent);
    if (present !== undefined) continue;
    known.set(digest, extent);
    yield take(work, block);
  }
  const { keptPath: path, sizeBytes } = found;
  packed.files.push({ path, sizeBytes, sha256: whole.digest('hex'), extents, blocks: digests.join('') });
}

// The processor is the turn's.
function giveWay({ isStill }: Work): void {
  if (!isStill()) throw new TurnBegun('a turn began');
}

function take(work: Work, chunk: Buffer): Buffer {
  giveWay(work);
  const { packed, secrets } = work;
  if (secrets.holds(chunk)) throw new SecretFound('the bytes to be stored contain a secret');
  packed.rawBytes += chunk.length;
  return chunk;
}
