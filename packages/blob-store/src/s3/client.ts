import { checkS3Options, parseEndpoint, type S3Options } from './options.ts';
import { createSigner, type Signer } from './sign/signer.ts';
import { createTransport, type S3Transport } from './transport.ts';

/** The state that all parts of the S3 store share. */
export type S3 = {
  bucket: string;
  transport: S3Transport;
  sign: Signer;
  options: S3Options;
};

/** Connects to nothing yet. Fault `CONFIGURATION_INVALID` where an option cannot be right. */
export function connectS3(options: S3Options): S3 {
  checkS3Options(options);
  const endpoint = parseEndpoint(options.endpoint, 'ATTACHE_S3_ENDPOINT');
  const { connections = 256, idleTimeoutMs = 30_000 } = options;
  return {
    bucket: options.bucket,
    transport: createTransport({ connections, idleTimeoutMs }),
    sign: createSigner(endpoint, options),
    options,
  };
}
