import { unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type BlobKey, parseBlobKey } from '../blob-key.ts';
import type { BlobRange } from '../blob-store.ts';
import { type NewFile, openNewFile } from '../files/new-file.ts';
import { writeChunks } from '../files/write-chunks.ts';
import { resolveRange } from '../resolve-range.ts';
import { callS3, inS3Span } from './call.ts';
import type { S3 } from './client.ts';
import { type Exchange, startExchange } from './exchange.ts';
import { S3AnswerError, S3ConnectionError, toAnswerFault, toConnectionError, toS3Fault } from './fault.ts';

const READ_BYTES = 256 * 1024;

export async function headBlob(s3: S3, key: BlobKey): Promise<{ sizeBytes: number }> {
  const operation = 'HeadObject';
  const answer = await callS3(s3, { operation, method: 'HEAD', key: parseBlobKey(key) });
  const sizeBytes = Number(answer.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(sizeBytes)) throw toS3Fault(new S3AnswerError(operation, answer));
  return { sizeBytes };
}

/** The bytes as they come. Destroying the stream closes the connection. */
export async function getBlob(s3: S3, key: BlobKey, range: BlobRange | undefined): Promise<Readable> {
  parseBlobKey(key);
  if (range !== undefined && !isOrdered(range)) return refuseRange(s3, key, range);
  return inS3Span(s3, { operation: 'GetObject', key }, async () => {
    const { exchange, message } = await openMessage(s3, key, range).catch((error: unknown) => {
      throw toS3Fault(error);
    });
    if (message.statusCode === (range === undefined ? 200 : 206)) return readMessage(message, s3);
    const answer = await exchange.answer().catch((error: unknown) => {
      throw toS3Fault(error);
    });
    if (range !== undefined && answer.status === 416) return refuseRange(s3, key, range);
    throw toAnswerFault('GetObject', answer, key);
  });
}

/** Copies a blob to a new file (0600), which is gone again where the copy fails. */
export async function copyBlobToFile(s3: S3, key: BlobKey, path: string): Promise<void> {
  const body = await getBlob(s3, key, undefined);
  const file = openFileFor(body, path);
  try {
    await writeChunks(file, body);
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    file.close();
  }
}

function openFileFor(body: Readable, path: string): NewFile {
  try {
    return openNewFile(path);
  } catch (error) {
    body.destroy();
    throw error;
  }
}

const isOrdered = ({ start, end }: BlobRange): boolean =>
  Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end;

async function refuseRange(s3: S3, key: BlobKey, range: BlobRange): Promise<never> {
  const { sizeBytes } = await headBlob(s3, key);
  resolveRange(range, sizeBytes);
  throw toS3Fault(new S3AnswerError('GetObject', { status: 416, headers: {}, text: '' }));
}

type Opened = { exchange: Exchange; message: IncomingMessage };

async function openMessage(s3: S3, key: BlobKey, range: BlobRange | undefined): Promise<Opened> {
  const url = s3.sign({ method: 'GET', key });
  const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
  const start = async (): Promise<Opened> => {
    const exchange = startExchange(s3.transport, { method: 'GET', url, headers });
    exchange.end();
    return { exchange, message: await exchange.response };
  };
  try {
    return await start();
  } catch (error) {
    if (toConnectionError(error).code === 'ETIMEDOUT') throw error;
    return start();
  }
}

/** Turns the failures of a message into Faults. The server is given up only while the reader waits for it. */
function readMessage(message: IncomingMessage, { transport, options }: S3): Readable {
  const { socket } = message;
  let isIdle = false;
  const stream = new Readable({
    highWaterMark: READ_BYTES,
    read() {
      // The timer of the connection has run out while nobody read.
      if (isIdle) socket.setTimeout(transport.idleTimeoutMs);
      isIdle = false;
      message.resume();
    },
    destroy(error, callback) {
      socket.off('timeout', onTimeout);
      if (!message.readableEnded) message.destroy();
      callback(error);
    },
  });
  const onTimeout = () => {
    isIdle = message.isPaused();
    if (!isIdle) stream.destroy(toS3Fault(new S3ConnectionError('ETIMEDOUT')));
  };
  socket.on('timeout', onTimeout);
  message.on('data', (chunk: Buffer) => {
    options.onBytes?.(chunk.byteLength);
    if (!stream.push(chunk)) message.pause();
  });
  message.once('end', () => stream.push(null));
  message.once('error', (error) => stream.destroy(toS3Fault(error)));
  message.pause();
  return stream;
}
