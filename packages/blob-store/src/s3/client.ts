import { Client } from 'minio';
import { checkS3Options, parseEndpoint, type S3Options } from './options.ts';
import { createTransport, type HttpMethod, type S3Transport } from './transport.ts';

// Long enough for clocks that differ; nobody but the server sees these URLs.
const SIGNED_SECONDS = 900;

export type SignRequest = {
  method: HttpMethod;
  /** Without one: the bucket. */
  key?: string | undefined;
  query?: Record<string, string> | undefined;
  expiresInSeconds?: number | undefined;
};

/** What all parts of the S3 store share. */
export type S3 = {
  bucket: string;
  transport: S3Transport;
  /** Used for signing and for listing; the bytes go by `transport`. */
  client: Client;
  sign(request: SignRequest): Promise<string>;
};

/** Connects to nothing yet. Fault `CONFIGURATION_INVALID` where an option cannot be right. */
export function connectS3(options: S3Options): S3 {
  checkS3Options(options);
  const client = createClient(parseEndpoint(options.endpoint, 'ATTACHE_S3_ENDPOINT'), options);
  const { connections = 256, idleTimeoutMs = 30_000 } = options;
  return {
    bucket: options.bucket,
    transport: createTransport({ connections, idleTimeoutMs }),
    client,
    sign: createSigner(client, options.bucket),
  };
}

export function createClient(endpoint: URL, { region, accessKey, secretKey }: S3Options): Client {
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

export function createSigner(client: Client, bucket: string): S3['sign'] {
  return ({ method, key = '', query = {}, expiresInSeconds = SIGNED_SECONDS }) =>
    client.presignedUrl(method, bucket, key, expiresInSeconds, query);
}
