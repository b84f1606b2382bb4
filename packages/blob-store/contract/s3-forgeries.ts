import type { S3 } from '../src/s3/client.ts';
import type { S3Options } from '../src/s3/options.ts';

type ForgedPut = { url: string; headers: Record<string, string>; body: string };

/** A put that no server may accept. */
export type Forgery = {
  /** The uploads that a server stores if it accepts the forgery, as an object of a sentence. */
  what: string;
  /** Seen on servers in use: the forger must know the access key id, which is not secret, but not public either. */
  needsAccessKey: boolean;
  describe(s3: S3, name: string): Promise<ForgedPut>;
};

const noSignature = '0'.repeat(64);
const chunkedBody = '5\r\ncheck\r\n0\r\nx-amz-checksum-crc32:PI6sEw==\r\n\r\n';

/** Puts without a signature, with a wrong one, and in the mode of upload whose signature servers were seen to forget. */
export function describeForgeries(options: S3Options): Forgery[] {
  return [
    {
      what: 'uploads that nobody signed',
      needsAccessKey: false,
      describe: async (s3, name) => ({ ...plain, url: stripQuery(signPut(s3, name)) }),
    },
    {
      what: 'uploads with a wrong signature',
      needsAccessKey: false,
      describe: async (s3, name) => ({ ...plain, url: breakSignature(signPut(s3, name)) }),
    },
    {
      what: 'chunked uploads that nobody signed',
      needsAccessKey: false,
      describe: async (s3, name) => ({
        url: stripQuery(signPut(s3, name)),
        headers: chunkedHeaders(),
        body: chunkedBody,
      }),
    },
    {
      what: 'chunked uploads with a wrong signature in the header',
      needsAccessKey: false,
      describe: async (s3, name) => {
        const url = stripQuery(signPut(s3, name));
        return { url, headers: { ...chunkedHeaders(), authorization: forgeHeader(options) }, body: chunkedBody };
      },
    },
    {
      what: 'chunked uploads with a wrong signature in the URL (CVE-2026-41145)',
      needsAccessKey: true,
      describe: async (s3, name) => {
        const url = breakSignature(signPut(s3, name));
        return { url, headers: chunkedHeaders(), body: chunkedBody };
      },
    },
  ];
}

const plain = { headers: {}, body: 'check' };

const signPut = (s3: S3, name: string): string => s3.sign({ method: 'PUT', key: name });

const stripQuery = (url: string): string => url.slice(0, url.indexOf('?'));

const breakSignature = (url: string): string => url.replace(/(X-Amz-Signature=)[0-9a-f]+/, `$1${noSignature}`);

const amzDate = (): string => new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');

function chunkedHeaders(): Record<string, string> {
  return {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-date': amzDate(),
    'x-amz-decoded-content-length': '5',
    'x-amz-trailer': 'x-amz-checksum-crc32',
    'content-encoding': 'aws-chunked',
  };
}

function forgeHeader({ accessKey, region }: S3Options): string {
  const scope = `${accessKey}/${amzDate().slice(0, 8)}/${region}/s3/aws4_request`;
  const signed = 'host;x-amz-content-sha256;x-amz-date';
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signed}, Signature=${noSignature}`;
}
