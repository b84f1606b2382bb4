import { hash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeliveryContents, type EmbeddedBytes, giveToOwnerOfFolder } from '@attache/agent-process';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { ByteReference, DeliveryPlan, Failure, FailureCode, Part, VariantId } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { referencesOf } from '@attache/domain';
import { hashFile } from '../files/hash-file.ts';
import { nameFile } from '../files/name-file.ts';
import { retryStorage } from '../ownership/retry-storage.ts';
import { attachmentDeleted } from './attachment-failures.ts';
import type { EarlyBytes } from './early-bytes.ts';
import { IN_MEMORY_BYTES, readInMemory } from './read-in-memory.ts';
import { type RemakeDeps, remakeVariant } from './remake-variant.ts';

/** `lost`: variants whose stored bytes cannot be used, to be forgotten. */
export type Materialised = { lost: LostVariant[] } & (
  | { status: 'ready'; contents: DeliveryContents }
  | { status: 'failed'; failure: Failure }
);

export type LostVariant = { variantId: VariantId; blobKey: string };

type Request = {
  tenantId: string;
  parts: readonly Part[];
  /** The plan of the parts: a lost variant is made again by its recipe. */
  plan: Pick<DeliveryPlan, 'items'>;
  /** Those of the message that are still there. */
  attachments: readonly StoredAttachment[];
  /** A folder of this delivery inside the agent's folder, made on need; without one the bytes stay in memory. */
  folder: string | undefined;
};

function failed(code: FailureCode, bytes: ByteReference, userMessage: string, retryable: boolean): Failure {
  return {
    code,
    severity: 'error',
    attachmentId: bytes.attachmentId,
    userMessage,
    diagnostic: `${bytes.mimeType}, ${bytes.sizeBytes} bytes`,
    retryable,
  };
}

function findBlobKey(attachments: readonly StoredAttachment[], bytes: ByteReference): string | undefined {
  const stored = attachments.find(({ attachment }) => attachment.id === bytes.attachmentId);
  return bytes.variantId === undefined ? stored?.blobKey : stored?.variantKeys.get(bytes.variantId);
}

/** The bytes of all files of a delivery together. */
export const sumBytes = (parts: readonly Part[]): number =>
  parts.flatMap(referencesOf).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Whether a delivery is so small that it is brought to its agent without files in between. */
export const fitsInMemory = (parts: readonly Part[]): boolean => sumBytes(parts) <= IN_MEMORY_BYTES;

/** Puts the bytes into a new file, 0600, and returns its digest. */
async function copyToFile(blobs: BlobStore, key: string, path: string): Promise<string> {
  await rm(path, { force: true });
  await blobs.copyToFile(parseBlobKey(key), path);
  await giveToOwnerOfFolder(path);
  return hashFile(path);
}

type PartsDeps = RemakeDeps & { early?: Pick<EarlyBytes, 'take'> | undefined };

type Found = { content: EmbeddedBytes; sha256: string };

async function fetchBytes(
  { blobs, early }: PartsDeps,
  key: string,
  folder: string | undefined,
  bytes: ByteReference,
): Promise<Found> {
  const { sizeBytes } = bytes;
  if (folder === undefined) {
    const taken = await early?.take(key);
    if (taken && hash('sha256', taken) === bytes.sha256)
      return { content: { bytes: taken, sizeBytes }, sha256: bytes.sha256 };
    const read = await retryStorage(() => readInMemory(blobs, parseBlobKey(key), sizeBytes));
    return { content: { bytes: read, sizeBytes }, sha256: hash('sha256', read) };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToOwnerOfFolder(folder);
  const path = join(folder, nameFile(bytes));
  return { content: { path, sizeBytes }, sha256: await retryStorage(() => copyToFile(blobs, key, path)) };
}

type Fetched = { status: 'found'; content: EmbeddedBytes } | { status: 'failed'; failure: Failure; isLost: boolean };

const fail = (failure: Failure, isLost = false): Fetched => ({ status: 'failed', failure, isLost });

/** Fetches referenced bytes and verifies their digest (BX-10). `isLost`: the store has them no more, or has others. */
async function fetchVerified(
  deps: PartsDeps,
  key: string,
  { folder }: Request,
  bytes: ByteReference,
): Promise<Fetched> {
  try {
    const { content, sha256 } = await fetchBytes(deps, key, folder, bytes);
    if (sha256 === bytes.sha256) return { status: 'found', content };
    const changed = 'The stored bytes of a file do not have their recorded digest. Upload the file again.';
    return fail(failed('attachment_checksum_mismatch', bytes, changed, false), true);
  } catch (error) {
    if (error instanceof BlobNotFoundError) {
      const missing = 'The bytes of a file are missing from the store. Upload the file again.';
      return fail(failed('attachment_artifact_missing', bytes, missing, false), true);
    }
    return fail(notWritten(bytes));
  }
}

const notWritten = (bytes: ByteReference): Failure =>
  failed('attachment_artifact_write_failed', bytes, 'A file could not be fetched for the agent. Retry.', true);

/** Identifies the bytes of a reference among those of a delivery. */
export const keyOf = ({ attachmentId, variantId }: ByteReference): string => variantId ?? attachmentId;

/** The bytes of a delivery's parts, verified, as the driver takes them. A derived file that is lost is made again (DL-48). */
export async function materialiseParts(deps: PartsDeps, request: Request): Promise<Materialised> {
  const contents = new Map<string, EmbeddedBytes>();
  const texts = new Map<string, string>();
  const lost: LostVariant[] = [];
  for (const part of request.parts) {
    for (const [position, reference] of referencesOf(part).entries()) {
      const fetched = await bringBytes(deps, request, { reference, position, lost });
      if (fetched.status === 'failed') return { status: 'failed', failure: fetched.failure, lost };
      if (part.type === 'text-file') texts.set(keyOf(reference), await readText(fetched.content));
      else contents.set(keyOf(reference), fetched.content);
    }
  }
  return {
    status: 'ready',
    lost,
    contents: {
      embedded: (reference) => find(contents, reference),
      text: (reference) => find(texts, reference),
    },
  };
}

type Wanted = { reference: ByteReference; position: number; lost: LostVariant[] };

async function bringBytes(deps: PartsDeps, request: Request, { reference, position, lost }: Wanted): Promise<Fetched> {
  const { variantId } = reference;
  const key = findBlobKey(request.attachments, reference);
  if (key !== undefined) {
    const fetched = await fetchVerified(deps, key, request, reference);
    if (variantId === undefined || fetched.status === 'found' || !fetched.isLost) return fetched;
    lost.push({ variantId, blobKey: key });
  }
  if (variantId === undefined) return fail(attachmentDeleted(reference.attachmentId));
  const made = await remakeVariant(deps, request, reference, position);
  return 'code' in made ? fail(made) : { status: 'found', content: made };
}

function find<T>(fetched: ReadonlyMap<string, T>, reference: ByteReference): T {
  const found = fetched.get(keyOf(reference));
  if (found === undefined) throw new Error('a part refers to bytes that were not fetched');
  return found;
}

async function readText(content: EmbeddedBytes): Promise<string> {
  return 'bytes' in content ? content.bytes.toString() : readFile(content.path, 'utf8');
}
