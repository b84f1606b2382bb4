import { setTimeout } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import type { BlobKey } from '../../blob-key.ts';
import { BlobNotFoundError } from '../../blob-store.ts';
import { callS3 } from '../call.ts';
import type { S3 } from '../client.ts';
import { createConflict, type S3Answer, S3AnswerError, s3CodeOf, toS3Fault } from '../fault.ts';
import type { UploadRequest } from './upload.ts';

/** The most that S3 takes. */
export const MOST_PARTS = 10_000;
const ABORT_MS = 5_000;
// Some servers copy the parts when the upload is completed.
const COMPLETE_BYTES_PER_MS = 20_000;

export type Multipart = Awaited<ReturnType<typeof createMultipart>>;

/** Starts a multipart upload. What is neither completed nor aborted is found by the sweep. */
export async function createMultipart(s3: S3, key: BlobKey) {
  const operation = 'CreateMultipartUpload';
  const answer = await callS3(s3, { operation, method: 'POST', key, query: { uploads: '' } });
  const uploadId = decodeXml(/<UploadId>([^<]+)<\/UploadId>/.exec(answer.text)?.[1] ?? '');
  if (uploadId === '') throw toS3Fault(new S3AnswerError(operation, answer));

  return {
    describePart(partNumber: number, sizeBytes: number): UploadRequest {
      if (partNumber > MOST_PARTS)
        throw new Fault('INVALID_REQUEST', 'The body is too long for an unannounced length.');
      return { operation: 'UploadPart', key, sizeBytes, query: { partNumber: String(partNumber), uploadId } };
    },
    /** Joins the parts into one blob; the etags are in the order of the parts. */
    async complete(etags: readonly string[], sizeBytes: number): Promise<void> {
      // Some servers ignore the condition below. Keys are random and owned by one row of the database, so looking first is enough.
      if (await hasObject(s3, key)) throw createConflict();
      const completed = await callS3(s3, {
        operation: 'CompleteMultipartUpload',
        method: 'POST',
        key,
        query: { uploadId },
        headers: { 'if-none-match': '*', 'content-type': 'application/xml' },
        body: Buffer.from(describeParts(etags)),
        timeoutMs: s3.transport.idleTimeoutMs + Math.ceil(sizeBytes / COMPLETE_BYTES_PER_MS),
      });
      // A server that has begun to respond can report a failure only in the text.
      if (completed.text.includes('<Error>')) throw toS3Fault(new S3AnswerError('CompleteMultipartUpload', completed));
    },
    /** An upload whose abort fails is left to the sweep. */
    abort: () => abortWithRetries(s3, { key, uploadId }),
  };
}

/** Some servers cannot remove an upload while they still notice that one of its parts was cut short. */
async function abortWithRetries(s3: S3, upload: UploadName): Promise<void> {
  for (const pauseMs of [50, 250, 1000]) {
    try {
      return await abortMultipart(s3, upload);
    } catch (error) {
      const hasAnswered = error instanceof Fault && error.cause instanceof S3AnswerError;
      if (!hasAnswered) return;
      await setTimeout(pauseMs);
    }
  }
}

type UploadName = { key: BlobKey; uploadId: string };

export async function abortMultipart(s3: S3, { key, uploadId }: UploadName): Promise<void> {
  const timeoutMs = Math.min(s3.transport.idleTimeoutMs, ABORT_MS);
  await callS3(s3, { operation: 'AbortMultipartUpload', method: 'DELETE', key, query: { uploadId }, timeoutMs });
}

export function etagOf(answer: S3Answer): string {
  const etag = answer.headers.etag;
  if (etag === undefined)
    throw toS3Fault(new S3AnswerError(`UploadPart without etag ${s3CodeOf(answer.text)}`, answer));
  return etag;
}

async function hasObject(s3: S3, key: BlobKey): Promise<boolean> {
  try {
    await callS3(s3, { operation: 'HeadObject', method: 'HEAD', key });
    return true;
  } catch (error) {
    if (error instanceof BlobNotFoundError) return false;
    throw error;
  }
}

function describeParts(etags: readonly string[]): string {
  const parts = etags.map((etag, index) => {
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${encodeXml(etag)}</ETag></Part>`;
  });
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}

const encodeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const decodeXml = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
