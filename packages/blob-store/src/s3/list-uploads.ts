import { Client } from 'minio';
import { type BlobKey, isBlobKey } from '../blob-key.ts';
import { toConnectionError, toS3Fault } from './fault.ts';
import { parseEndpoint, type S3Options } from './options.ts';

export type ListedUpload = { key: BlobKey; uploadId: string; initiated: Date };

/** The multipart uploads of our blobs that nobody has finished. */
export async function listUploads(options: S3Options): Promise<ListedUpload[]> {
  const found: ListedUpload[] = [];
  try {
    for await (const { key, uploadId, initiated } of createClient(options).listIncompleteUploads(
      options.bucket,
      '',
      true,
    )) {
      if (isBlobKey(key)) found.push({ key, uploadId, initiated: new Date(initiated) });
    }
  } catch (error) {
    // The client's error may repeat what was signed.
    throw toS3Fault(toConnectionError(error));
  }
  return found;
}

function createClient({ endpoint: address, region, accessKey, secretKey }: S3Options): Client {
  const endpoint = parseEndpoint(address, 'ATTACHE_S3_ENDPOINT');
  const isTls = endpoint.protocol === 'https:';
  return new Client({
    endPoint: endpoint.hostname.replace(/^\[|\]$/g, ''),
    port: Number(endpoint.port) || (isTls ? 443 : 80),
    useSSL: isTls,
    region,
    accessKey,
    secretKey,
    // The client reports a retry on the console.
    retryOptions: { disableRetry: true },
  });
}
