import type { S3 } from './client.ts';
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
  // Its client is 1 MB of source, which no service needs to start.
  const { listUploads } = await import('./list-uploads.ts');
  const abandoned = (await listUploads(s3.options)).filter(({ initiated }) => initiated.getTime() <= before);
  if (!isDryRun) for (const upload of abandoned) await abortMultipart(s3, upload);
  return abandoned.length;
}
