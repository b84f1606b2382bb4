import { type BlobKey, isBlobKey } from '../blob-key.ts';
import type { S3 } from './client.ts';
import { toConnectionError, toS3Fault } from './fault.ts';
import { abortMultipart } from './put/multipart.ts';

export type SweepOptions = {
  olderThanMs: number;
  /** Only counts. */
  isDryRun?: boolean | undefined;
};

/**
 * Aborts the multipart uploads that nobody has finished for so long, and answers how many. Uploads that are not ours are left alone.
 * MinIO lists only what it has seen since its own start; it removes the rest itself after a day.
 */
export async function sweepMultiparts(s3: S3, { olderThanMs, isDryRun = false }: SweepOptions): Promise<number> {
  const before = Date.now() - olderThanMs;
  const abandoned = (await listUploads(s3)).filter(({ initiated }) => initiated.getTime() <= before);
  if (!isDryRun) for (const upload of abandoned) await abortMultipart(s3, upload);
  return abandoned.length;
}

type Listed = { key: BlobKey; uploadId: string; initiated: Date };

async function listUploads(s3: S3): Promise<Listed[]> {
  const found: Listed[] = [];
  try {
    for await (const { key, uploadId, initiated } of s3.client.listIncompleteUploads(s3.bucket, '', true)) {
      if (isBlobKey(key)) found.push({ key, uploadId, initiated: new Date(initiated) });
    }
  } catch (error) {
    // The client's error may repeat what was signed.
    throw toS3Fault(toConnectionError(error));
  }
  return found;
}
