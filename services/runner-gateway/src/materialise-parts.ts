import { hash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeliveryContents, EmbeddedBytes } from '@attache/agent-process';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import type { ByteReference, Failure, FailureCode, Part, VariantId } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { referencesOf } from '@attache/domain';
import { attachmentDeleted } from './attachment-failures.ts';
import { bePatient } from './be-patient.ts';
import { hashFile } from './hash-file.ts';

export type Materialised =
  | { status: 'ready'; contents: DeliveryContents }
  /** `lost`: a variant whose bytes are not there any more, and which can be made again. */
  | { status: 'failed'; failure: Failure; lost?: LostVariant | undefined };

export type LostVariant = { variantId: VariantId; blobKey: string };

type Request = {
  parts: readonly Part[];
  /** Those of the message that are still there. */
  attachments: readonly StoredAttachment[];
  /** A folder of this delivery inside the agent's folder, made on need; without one the bytes stay in memory. */
  folder: string | undefined;
};

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
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

const IN_MEMORY_BYTES = 2 * 1024 * 1024;

/** What the files of a delivery hold together. */
export const sumBytes = (parts: readonly Part[]): number =>
  parts.flatMap(referencesOf).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Whether a delivery is so small that it is brought to its agent without files in between. */
export const fitsInMemory = (parts: readonly Part[]): boolean => sumBytes(parts) <= IN_MEMORY_BYTES;

// One byte more than there should be is enough to know.
async function readInMemory(blobs: BlobStore, key: string, { sizeBytes }: ByteReference): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let readBytes = 0;
  for await (const chunk of await blobs.get(parseBlobKey(key))) {
    chunks.push(chunk);
    readBytes += chunk.length;
    if (readBytes > sizeBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Puts the bytes into a new file, 0600, and answers its digest. */
async function copyToFile(blobs: BlobStore, key: string, path: string): Promise<string> {
  await rm(path, { force: true });
  await blobs.copyToFile(parseBlobKey(key), path);
  return hashFile(path);
}

// The name comes from the ids, never from what a person typed (DL-78).
const fileNameOf = (bytes: ByteReference): string =>
  `${bytes.variantId ?? bytes.attachmentId}.${extensions[bytes.mimeType] ?? 'bin'}`;

type Found = { content: EmbeddedBytes; sha256: string };

async function fetchBytes(
  blobs: BlobStore,
  key: string,
  folder: string | undefined,
  bytes: ByteReference,
): Promise<Found> {
  const { sizeBytes } = bytes;
  if (folder === undefined) {
    const read = await bePatient(() => readInMemory(blobs, key, bytes));
    return { content: { bytes: read, sizeBytes }, sha256: hash('sha256', read) };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, fileNameOf(bytes));
  return { content: { path, sizeBytes }, sha256: await bePatient(() => copyToFile(blobs, key, path)) };
}

type Fetched = { content: EmbeddedBytes } | Extract<Materialised, { status: 'failed' }>;

const fail = (failure: Failure, lost?: LostVariant): Fetched => ({ status: 'failed', failure, lost });

/** Fetches referenced bytes and verifies their digest (BX-10). What was derived can be made again, so that a retry may mend it (DL-53). */
async function fetchVerified(
  blobs: BlobStore,
  { attachments, folder }: Request,
  bytes: ByteReference,
): Promise<Fetched> {
  const key = findBlobKey(attachments, bytes);
  const { variantId } = bytes;
  // A variant that is not there any more: its attachment may be, and then it can be made again.
  const isKnown = attachments.some(({ attachment }) => attachment.id === bytes.attachmentId);
  if (key === undefined) {
    if (!isKnown || variantId === undefined) return fail(attachmentDeleted(bytes.attachmentId));
    return fail(failed('attachment_artifact_missing', bytes, 'What was made of a file is gone. Retry.', true));
  }
  const lost = variantId === undefined ? undefined : { variantId, blobKey: key };
  const isMendable = lost !== undefined;
  const whatToDo = isMendable ? 'Retry: it is made again.' : 'Upload the file again.';
  try {
    const { content, sha256 } = await fetchBytes(blobs, key, folder, bytes);
    if (sha256 === bytes.sha256) return { content };
    const changed = `The stored bytes of a file do not have their recorded digest. ${whatToDo}`;
    return fail(failed('attachment_checksum_mismatch', bytes, changed, isMendable), lost);
  } catch (error) {
    if (error instanceof BlobNotFoundError) {
      const missing = `The bytes of a file are missing from the store. ${whatToDo}`;
      return fail(failed('attachment_artifact_missing', bytes, missing, isMendable), lost);
    }
    return fail(
      failed('attachment_artifact_write_failed', bytes, 'A file could not be fetched for the agent. Retry.', true),
    );
  }
}

const keyOf = ({ attachmentId, variantId }: ByteReference): string => variantId ?? attachmentId;

/** The bytes of a delivery's parts, verified, as the driver takes them. */
export async function materialiseParts({ blobs }: { blobs: BlobStore }, request: Request): Promise<Materialised> {
  const contents = new Map<string, EmbeddedBytes>();
  const texts = new Map<string, string>();
  for (const part of request.parts) {
    for (const reference of referencesOf(part)) {
      const fetched = await fetchVerified(blobs, request, reference);
      if ('failure' in fetched) return fetched;
      if (part.type === 'text-file') texts.set(keyOf(reference), await readText(fetched.content));
      else contents.set(keyOf(reference), fetched.content);
    }
  }
  return {
    status: 'ready',
    contents: {
      embedded: (reference) => find(contents, reference),
      text: (reference) => find(texts, reference),
    },
  };
}

function find<T>(fetched: ReadonlyMap<string, T>, reference: ByteReference): T {
  const found = fetched.get(keyOf(reference));
  if (found === undefined) throw new Error('a part refers to bytes that were not fetched');
  return found;
}

async function readText(content: EmbeddedBytes): Promise<string> {
  return 'bytes' in content ? content.bytes.toString() : readFile(content.path, 'utf8');
}
