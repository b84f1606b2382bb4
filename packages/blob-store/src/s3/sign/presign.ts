import { parseBlobKey } from '../../blob-key.ts';
import type { BlobStore } from '../../blob-store.ts';
import { parseEndpoint, type S3Options } from '../options.ts';
import { createSigner } from './signer.ts';

/** Signs for the address at which clients reach the server: the host is part of what is signed. */
export function createPresign(options: S3Options): BlobStore['presign'] {
  if (options.publicEndpoint === undefined) return undefined;
  const sign = createSigner(parseEndpoint(options.publicEndpoint, 'ATTACHE_S3_PUBLIC_ENDPOINT'), options);
  return async (key, { expiresInSeconds, disposition, mimeType }) => {
    const query = {
      ...(disposition === undefined ? {} : { 'response-content-disposition': disposition }),
      ...(mimeType === undefined ? {} : { 'response-content-type': mimeType }),
    };
    return sign({ method: 'GET', key: parseBlobKey(key), query, expiresInSeconds });
  };
}
