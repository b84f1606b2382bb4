import { Fault } from '@attache/contracts';
import type { OnBytes } from '../young-collection.ts';

export type S3Options = {
  /** `http://host:port` or `https://host`, without a path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** The address at which clients reach the same server. Without it the store presigns nothing. */
  publicEndpoint?: string | undefined;
  /** The memory that all puts of unknown length may hold together; at least 16 MiB, 64 MiB by default. */
  spoolBudgetBytes?: number | undefined;
  /** Most connections at a time, 256 by default. */
  connections?: number | undefined;
  /** A request without progress for so long is given up; 30 s by default. */
  idleTimeoutMs?: number | undefined;
  /** Recorded with every blob, `s3` by default. */
  id?: string | undefined;
  onBytes?: OnBytes | undefined;
};

/** The address of a server. Fault `CONFIGURATION_INVALID` names the variable. */
export function parseEndpoint(value: string, variable: string): URL {
  const endpoint = URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = endpoint?.protocol === 'http:' || endpoint?.protocol === 'https:';
  const isBare =
    endpoint?.pathname === '/' && endpoint.search === '' && endpoint.hash === '' && endpoint.username === '';
  if (endpoint === undefined || !isHttp || !isBare) {
    const form = 'an address such as https://s3.example.com:9000, without a path and without credentials';
    throw new Fault('CONFIGURATION_INVALID', `${variable} must be ${form}.`);
  }
  return endpoint;
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Fault `CONFIGURATION_INVALID` names the variable of an option that cannot be right. */
export function checkS3Options({ bucket, region, accessKey, secretKey }: S3Options): void {
  if (!bucketPattern.test(bucket)) {
    const form = '3 to 63 lower-case letters, digits, dots and dashes';
    throw new Fault('CONFIGURATION_INVALID', `ATTACHE_S3_BUCKET must be the name of a bucket: ${form}.`);
  }
  const required = { ATTACHE_S3_REGION: region, ATTACHE_S3_ACCESS_KEY: accessKey, ATTACHE_S3_SECRET_KEY: secretKey };
  for (const [variable, value] of Object.entries(required)) {
    if (value === '') throw new Fault('CONFIGURATION_INVALID', `${variable} is empty; set it.`);
  }
}
