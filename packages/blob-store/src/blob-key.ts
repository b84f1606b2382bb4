import { Fault } from '@attache/contracts';

declare const blobKeyBrand: unique symbol;

/** The place of a blob in its store: `<tenant uuid, 32 hex>/<random, 32 hex>`, lower case. It reveals nothing about the file. */
export type BlobKey = string & { readonly [blobKeyBrand]: true };

const keyPattern = /^[0-9a-f]{32}\/[0-9a-f]{32}$/;
const uuidPattern = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/;

/** Key of a new blob of a tenant. `randomBytes` must be 16 fresh random bytes. */
export function createBlobKey(tenantUuid: string, randomBytes: Uint8Array): BlobKey {
  if (!uuidPattern.test(tenantUuid) || randomBytes.length !== 16) {
    throw new Fault('INTERNAL', 'A blob key needs the uuid of a tenant in lower case and 16 random bytes.');
  }
  return parseBlobKey(`${tenantUuid.replaceAll('-', '')}/${Buffer.from(randomBytes).toString('hex')}`);
}

/** The key that `value` spells. Every other spelling is a Fault `INTERNAL`: keys are made by `createBlobKey` and never come from a client. */
export function parseBlobKey(value: string): BlobKey {
  if (!isBlobKey(value)) {
    throw new Fault('INTERNAL', 'A blob key must be the hex of a tenant uuid, a slash and 32 hex characters.');
  }
  return value;
}

/** Whether it is a key of a blob of this tenant, whose uuid is in lower case. */
export function isBlobKeyOf(tenantUuid: string, value: string): value is BlobKey {
  return isBlobKey(value) && value.startsWith(`${tenantUuid.replaceAll('-', '')}/`);
}

export function isBlobKey(value: string): value is BlobKey {
  return keyPattern.test(value);
}
