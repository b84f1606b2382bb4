import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MaterialisedPart } from '@attache/agent-process';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type ByteReference, type Failure, type FailureCode, type Part, uuidFromId } from '@attache/contracts';
import { type Database, findAttachment, findVariant } from '@attache/database';
import { bePatient } from './be-patient.ts';

export type Materialised = { status: 'ready'; parts: MaterialisedPart[] } | { status: 'failed'; failure: Failure };

type Request = {
  tenantId: string;
  parts: readonly Part[];
  /** A folder of this delivery inside the agent's folder. */
  folder: string;
  /** What the agent declared: text files in blocks of their own. */
  embedsText: boolean;
};

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
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

async function findBlobKey(db: Database, tenantId: string, bytes: ByteReference): Promise<string | undefined> {
  return db.readAsTenant(tenantId, async (tx) => {
    const stored = await findAttachment(tx, uuidFromId(bytes.attachmentId));
    if (!stored || bytes.variantId === undefined) return stored?.blobKey;
    const found = await findVariant(tx, uuidFromId(bytes.variantId));
    return found?.sourceSha256 === stored.attachment.sha256 ? found.blobKey : undefined;
  });
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), hash);
  return hash.digest('hex');
}

// The name comes from the ids, never from what a person typed (DL-78).
const fileNameOf = (bytes: ByteReference): string =>
  `${bytes.variantId ?? bytes.attachmentId}.${extensions[bytes.mimeType] ?? 'bin'}`;

/** Puts referenced bytes into the agent's folder, 0600, and verifies their digest (BX-10). */
async function putFile(
  deps: { db: Database; blobs: BlobStore },
  { tenantId, folder }: Request,
  bytes: ByteReference,
): Promise<{ path: string } | { failure: Failure }> {
  const key = await findBlobKey(deps.db, tenantId, bytes);
  if (key === undefined) {
    return {
      failure: failed(
        'attachment_missing',
        bytes,
        'A file of this message was deleted. Send the message without it.',
        false,
      ),
    };
  }
  const path = join(folder, fileNameOf(bytes));
  try {
    await bePatient(async () => {
      await rm(path, { force: true });
      await deps.blobs.copyToFile(parseBlobKey(key), path);
    });
  } catch (error) {
    if (error instanceof BlobNotFoundError) {
      return {
        failure: failed('attachment_artifact_missing', bytes, 'The bytes of a file are missing from the store.', false),
      };
    }
    return {
      failure: failed(
        'attachment_artifact_write_failed',
        bytes,
        'A file could not be put into the agent’s folder. Retry.',
        true,
      ),
    };
  }
  if ((await hashFile(path)) !== bytes.sha256) {
    return {
      failure: failed(
        'attachment_checksum_mismatch',
        bytes,
        'The stored bytes of a file do not have their recorded digest.',
        false,
      ),
    };
  }
  return { path };
}

/** Files of a delivery's parts, verified, as the driver takes them. */
export async function materialiseParts(
  deps: { db: Database; blobs: BlobStore },
  request: Request,
): Promise<Materialised> {
  await mkdir(request.folder, { recursive: true, mode: 0o700 });
  const parts: MaterialisedPart[] = [];
  for (const part of request.parts) {
    if (part.type === 'text') {
      parts.push(part);
      continue;
    }
    const put = await putFile(deps, request, part.bytes);
    if ('failure' in put) return { status: 'failed', failure: put.failure };
    parts.push(await toMaterialised(part, put.path, request.embedsText));
  }
  return { status: 'ready', parts };
}

async function toMaterialised(
  part: Exclude<Part, { type: 'text' }>,
  path: string,
  embedsText: boolean,
): Promise<MaterialisedPart> {
  const { attachmentId, mimeType, sizeBytes } = part.bytes;
  if (part.type === 'image') return { type: 'image', path, mimeType, sizeBytes, attachmentId };
  const text = await readFile(path, 'utf8');
  return { type: 'text-file', text, name: part.name, mimeType, embedded: embedsText, attachmentId };
}
