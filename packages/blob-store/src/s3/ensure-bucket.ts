import { Fault } from '@attache/contracts';
import { askS3 } from './call.ts';
import { connectS3 } from './client.ts';
import { s3CodeOf, toConnectionError } from './fault.ts';
import type { S3Options } from './options.ts';
import { createUnreachable, requireStored } from './settings-fault.ts';

/** Makes the bucket where it is missing. Fault `CONFIGURATION_INVALID` names the variable that is in the way. */
export async function ensureBucket(options: S3Options): Promise<void> {
  const s3 = connectS3(options);
  try {
    const found = await askS3(s3, { operation: 'HeadBucket', method: 'HEAD' });
    if (found.status === 200) return;
    const body = describeLocation(options.region);
    const made = await askS3(s3, { operation: 'CreateBucket', method: 'PUT', body });
    if (s3CodeOf(made.text) !== 'BucketAlreadyOwnedByYou') requireStored(made);
  } catch (error) {
    throw error instanceof Fault ? error : createUnreachable(toConnectionError(error));
  } finally {
    s3.transport.close();
  }
}

// The first region is the default and must not be named.
function describeLocation(region: string): Uint8Array | undefined {
  if (region === 'us-east-1') return undefined;
  const location = `<LocationConstraint>${region}</LocationConstraint>`;
  return Buffer.from(`<CreateBucketConfiguration>${location}</CreateBucketConfiguration>`);
}
