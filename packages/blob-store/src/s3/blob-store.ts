import { type BlobKey, parseBlobKey } from '../blob-key.ts';
import { BlobNotFoundError, type BlobStore } from '../blob-store.ts';
import { createBreaker } from './breaker.ts';
import { callS3 } from './call.ts';
import { checkS3Server, type ServerCheck } from './check-server.ts';
import { connectS3, type S3 } from './client.ts';
import { listUploads } from './list-uploads.ts';
import type { S3Options } from './options.ts';
import { abortMultipart } from './put/multipart.ts';
import { putBlob } from './put/put.ts';
import { createSpoolBudget } from './put/spool-budget.ts';
import { SPOOL_BYTES } from './put/spooled-put.ts';
import { copyBlobToFile, getBlob, headBlob } from './read.ts';
import { createPresign } from './sign/presign.ts';

export type { ServerCheck } from './check-server.ts';
export { ensureBucket } from './ensure-bucket.ts';
export type { S3Options } from './options.ts';

const DEFAULT_BUDGET_BYTES = 64 * 1024 * 1024;
// This is no blob: blobs are under a tenant.
const READY_NAME = 'attache-check-ready';

export type SweepOptions = {
  olderThanMs: number;
  /** Only counts. */
  isDryRun?: boolean | undefined;
};

export type S3BlobStore = BlobStore & {
  /** Ends every connection. Work in progress fails. */
  close(): Promise<void>;
  /** Aborts multipart uploads that were left behind, and answers how many. */
  sweepMultiparts(options: SweepOptions): Promise<number>;
  /** Whether the store counts as down: calls are refused at once. */
  isDown(): boolean;
  /** Whether blobs are safe on this server. Fault `CONFIGURATION_INVALID` names the variable or what the server does wrong. */
  checkServer(): Promise<ServerCheck>;
};

/** Blobs as objects of a bucket. Connects when it is first used. Fault `CONFIGURATION_INVALID` where an option cannot be right. */
export async function createS3BlobStore(options: S3Options): Promise<S3BlobStore> {
  const s3 = connectS3(options);
  const { spoolBudgetBytes = DEFAULT_BUDGET_BYTES } = options;
  const budget = createSpoolBudget({ budgetBytes: spoolBudgetBytes, shareBytes: SPOOL_BYTES });
  const breaker = createBreaker(() => checkWritable(s3));
  const presign = createPresign(options);
  return {
    id: options.id ?? 's3',
    put: (key, body, putOptions = {}) => breaker.run(() => putBlob({ s3, budget, key, body, options: putOptions })),
    head: (key) => breaker.run(() => headBlob(s3, key)),
    get: (key, range) => breaker.run(() => getBlob(s3, key, range)),
    delete: (key) => breaker.run(() => deleteBlob(s3, key)),
    copyToFile: (key, path) => breaker.run(() => copyBlobToFile(s3, key, path)),
    ...(presign === undefined ? {} : { presign }),
    checkReady: () => checkWritable(s3),
    async close() {
      breaker.close();
      s3.transport.close();
    },
    isDown: breaker.isOpen,
    sweepMultiparts: (sweepOptions) => sweepMultiparts(s3, sweepOptions),
    checkServer: () => checkS3Server(s3, options),
  };
}

async function deleteBlob(s3: S3, key: BlobKey): Promise<void> {
  try {
    await callS3(s3, { operation: 'DeleteObject', method: 'DELETE', key: parseBlobKey(key) });
  } catch (error) {
    if (!(error instanceof BlobNotFoundError)) throw error;
  }
}

/**
 * Aborts the multipart uploads that nobody has finished for so long, and answers how many. Uploads that are not ours are left alone.
 * MinIO lists only what it has seen since its own start; it removes the rest itself after a day.
 */
async function sweepMultiparts(s3: S3, { olderThanMs, isDryRun = false }: SweepOptions): Promise<number> {
  const before = Date.now() - olderThanMs;
  const abandoned = (await listUploads(s3)).filter(({ initiated }) => initiated.getTime() <= before);
  if (!isDryRun) for (const upload of abandoned) await abortMultipart(s3, upload);
  return abandoned.length;
}

async function checkWritable(s3: S3): Promise<void> {
  await callS3(s3, { operation: 'PutObject', method: 'PUT', name: READY_NAME, body: Buffer.from('ready') });
  await callS3(s3, { operation: 'DeleteObject', method: 'DELETE', name: READY_NAME });
}
