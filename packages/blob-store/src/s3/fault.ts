import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@attache/contracts';
import type { BlobKey } from '../blob-key.ts';
import { BlobNotFoundError } from '../blob-store.ts';
import { errorCodeOf } from '../storage-fault.ts';

export type S3Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** A server's error response without its text, which may repeat a signature. */
export class S3AnswerError extends Error {
  override readonly name = 'S3AnswerError';
  readonly status: number;
  readonly code: string;

  constructor(operation: string, { status, text }: S3Answer) {
    const code = s3CodeOf(text);
    super(`${operation}: ${status} ${code}`.trim());
    this.status = status;
    this.code = code;
  }
}

/** The connection to the server failed or made no progress. Only the code of the failure is kept. */
export class S3ConnectionError extends Error {
  override readonly name = 'S3ConnectionError';
  readonly code: string;

  constructor(code: string) {
    super(`S3 connection: ${code}`);
    this.code = code;
  }
}

/** Such as `NoSuchKey`; empty if the response names none. */
export function s3CodeOf(text: string): string {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? '';
}

export function toConnectionError(error: unknown): S3ConnectionError {
  return error instanceof S3ConnectionError ? error : new S3ConnectionError(errorCodeOf(error) ?? 'ECONNRESET');
}

const explanations: Record<string, string> = {
  ECONNREFUSED: 'no S3 server listens at its address',
  ENOTFOUND: 'the name of the S3 server is not known',
  EAI_AGAIN: 'the name of the S3 server cannot be looked up',
  ETIMEDOUT: 'the S3 server does not answer',
  ECONNRESET: 'the S3 server closed the connection',
  EPIPE: 'the S3 server closed the connection',
};

/** Translates a failed call of the server for the caller. Faults and missing blobs pass unchanged. */
export function toS3Fault(error: unknown): Error {
  if (error instanceof Fault || error instanceof BlobNotFoundError) return error;
  if (error instanceof S3AnswerError)
    return toUnavailable(`${error.status} ${error.code}`.trim(), 'see the log', error);
  const cause = toConnectionError(error);
  return toUnavailable(cause.code, explanations[cause.code] ?? 'the connection to the S3 server failed', cause);
}

/** Translates an unsuccessful response into an error for the caller. */
export function toAnswerFault(operation: string, answer: S3Answer, key: BlobKey | undefined): Error {
  const error = new S3AnswerError(operation, answer);
  const { status, code } = error;
  // The answer to a HEAD has no text.
  if (status === 404 && key !== undefined && (code === 'NoSuchKey' || code === '')) {
    return new BlobNotFoundError(key, { cause: error });
  }
  // 409: another put to the same key was in progress.
  if (status === 412 || (status === 409 && code === 'ConditionalRequestConflict')) return createConflict();
  return toUnavailable(`${status} ${code}`.trim(), explainStatus(status, code), error);
}

export function createConflict(): Fault {
  return new Fault('UPLOAD_CONFLICT', 'A blob is already stored under this key; blobs never change. Use a new key.');
}

function explainStatus(status: number, code: string): string {
  if (code === 'NoSuchBucket') return 'its bucket is missing';
  if (status === 401 || status === 403) return 'the S3 server refuses the credentials of this service';
  if (status === 507) return 'the S3 server is full';
  if (status < 300) return 'the S3 server answered before it had the bytes';
  return 'the S3 server cannot do it now';
}

function toUnavailable(what: string, why: string, cause: Error): Fault {
  return new Fault('STORAGE_UNAVAILABLE', `The blob store cannot be used (${what}); ${why}.`, {
    retryable: true,
    cause,
  });
}
