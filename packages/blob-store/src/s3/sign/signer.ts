import aws4 from 'aws4';
import type { S3Options } from '../options.ts';
import type { HttpMethod } from '../transport.ts';

// Long enough for clocks that differ; nobody but the server sees these URLs.
const SIGNED_SECONDS = 900;

export type SignRequest = {
  method: HttpMethod;
  /** Without one: the bucket. */
  key?: string | undefined;
  query?: Record<string, string> | undefined;
  expiresInSeconds?: number | undefined;
};

/** Signs requests in their URL, by AWS Signature Version 4. The key of a day is derived once. */
export type Signer = (request: SignRequest) => string;

/** For a bucket at an address of its server. */
export function createSigner(
  endpoint: URL,
  options: Pick<S3Options, 'bucket' | 'region' | 'accessKey' | 'secretKey'>,
): Signer {
  const { origin, host, folder } = locateBucket(endpoint, options);
  const credentials = { accessKeyId: options.accessKey, secretAccessKey: options.secretKey };
  const { region } = options;
  return ({ method, key = '', query = {}, expiresInSeconds = SIGNED_SECONDS }) => {
    const parameters = { ...query, 'X-Amz-Expires': String(expiresInSeconds) };
    const path = `${folder}/${encodePath(key)}?${encodeQuery(parameters)}`;
    const signed = aws4.sign({ service: 's3', region, method, host, path, signQuery: true }, credentials);
    return `${origin}${signed.path}`;
  };
}

const AMAZON = 's3.amazonaws.com';

/** The address of all of Amazon's regions is that of one of them, and a bucket there has a host of its own unless dots in its name forbid a certificate. */
function locateBucket(endpoint: URL, { bucket, region }: Pick<S3Options, 'bucket' | 'region'>) {
  const { hostname, protocol, origin, host } = endpoint;
  if (hostname !== AMAZON) return { origin, host, folder: `/${bucket}` };
  const ofRegion = `s3.${region}.amazonaws.com`;
  if (bucket.includes('.')) return { origin: `${protocol}//${ofRegion}`, host: ofRegion, folder: `/${bucket}` };
  return { origin: `${protocol}//${bucket}.${ofRegion}`, host: `${bucket}.${ofRegion}`, folder: '' };
}

const encodePath = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
