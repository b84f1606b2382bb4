import { Fault } from '@attache/contracts';
import { type S3Answer, type S3ConnectionError, s3CodeOf } from './fault.ts';

/** Throws unless the call succeeded, with the fault of the settings that the refusal shows. */
export function requireStored(answer: S3Answer): void {
  const { status, text } = answer;
  if (status < 300) return;
  const code = s3CodeOf(text);
  const what = [status, code].join(' ').trim();
  if (code === 'NoSuchBucket') {
    throw invalid(
      'ATTACHE_S3_BUCKET names a bucket that does not exist; create it with `attache migrate`, or correct the name.',
    );
  }
  if (code === 'InvalidAccessKeyId' || code === 'XAdminUserNotFound')
    throw invalid('ATTACHE_S3_ACCESS_KEY is not known to the S3 server.');
  if (code === 'SignatureDoesNotMatch')
    throw invalid('ATTACHE_S3_SECRET_KEY does not belong to ATTACHE_S3_ACCESS_KEY.');
  if (code === 'RequestTimeTooSkewed')
    throw invalid('The clock of this machine differs from that of the S3 server; set both by NTP.');
  if (code.startsWith('Authorization') || status === 301) {
    throw invalid(`ATTACHE_S3_REGION is not the region of the S3 server (${what}).`);
  }
  if (status === 401 || status === 403) {
    throw invalid(
      `The S3 server refuses ATTACHE_S3_ACCESS_KEY with ATTACHE_S3_SECRET_KEY in ATTACHE_S3_BUCKET (${what}).`,
    );
  }
  throw invalid(`The S3 server at ATTACHE_S3_ENDPOINT cannot store and remove an object (${what}).`);
}

export const invalid = (message: string): Fault => new Fault('CONFIGURATION_INVALID', message);

export const createUnreachable = ({ code }: S3ConnectionError): Fault =>
  invalid(`No S3 server can be reached at ATTACHE_S3_ENDPOINT (${code}).`);
