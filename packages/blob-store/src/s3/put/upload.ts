import type { BlobKey } from '../../blob-key.ts';
import { connectExchange } from '../call.ts';
import type { S3 } from '../client.ts';
import type { Exchange } from '../exchange.ts';
import { type S3Answer, toAnswerFault, toS3Fault } from '../fault.ts';

/** Ends a put: the first failure notifies the others, and every request in progress is destroyed. */
export type Interruption = AbortController;

export type UploadRequest = {
  operation: 'PutObject' | 'UploadPart';
  key: string;
  sizeBytes: number;
  query?: Record<string, string> | undefined;
  headers?: Record<string, string> | undefined;
};

/** One PUT that never replaces a blob. */
export function describePut(key: BlobKey, sizeBytes: number): UploadRequest {
  return { operation: 'PutObject', key, sizeBytes, headers: { 'if-none-match': '*' } };
}

/** Bytes on their way to the server. */
export type Upload = {
  /** Waits while the server does not take more. */
  send(chunks: readonly Uint8Array[]): Promise<void>;
  /** With the last bytes. Resolves when the server has confirmed all of them. */
  finish(chunks: readonly Uint8Array[]): Promise<S3Answer>;
};

type UploadInput = { request: UploadRequest; interruption: Interruption };

/**
 * One streamed PUT of known length. Connects with the first bytes, so that a slow client does not hold a connection for nothing.
 * An answer before the last byte, which can only be a refusal, interrupts the put, and so does a lost connection.
 */
export function openUpload(s3: S3, { request, interruption }: UploadInput): Upload {
  const { operation, key, query, sizeBytes } = request;
  let opened: Promise<Exchange> | undefined;

  async function open(): Promise<Exchange> {
    const headers = { ...request.headers, 'content-length': String(sizeBytes) };
    const exchange = await connectExchange(s3.transport, {
      method: 'PUT',
      url: s3.sign({ method: 'PUT', key, query }),
      headers,
    });
    // Once its last byte is sent, only the response shows whether it is stored.
    const destroy = () => (exchange.isEnded() ? undefined : exchange.destroy());
    if (interruption.signal.aborted) destroy();
    interruption.signal.addEventListener('abort', destroy);
    const onSettled = () => {
      interruption.signal.removeEventListener('abort', destroy);
      if (!exchange.isEnded()) orS3Fault(failEarly(exchange)).catch((error: unknown) => interruption.abort(error));
    };
    exchange.response.then(onSettled, onSettled);
    return exchange;
  }

  async function failEarly(exchange: Exchange): Promise<never> {
    const answer = await exchange.answer().finally(exchange.destroy);
    throw toAnswerFault(operation, answer, undefined);
  }

  async function send(chunks: readonly Uint8Array[]): Promise<void> {
    opened ??= open();
    const exchange = await opened;
    await exchange.send(chunks);
    if (exchange.isSettled()) await failEarly(exchange);
  }

  async function finish(chunks: readonly Uint8Array[]): Promise<S3Answer> {
    opened ??= open();
    const exchange = await opened;
    if (exchange.isSettled()) return failEarly(exchange);
    exchange.end(chunks);
    const answer = await exchange.answer();
    if (answer.status !== 200) throw toAnswerFault(operation, answer, undefined);
    return answer;
  }

  return { send: (chunks) => orS3Fault(send(chunks)), finish: (chunks) => orS3Fault(finish(chunks)) };
}

async function orS3Fault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toS3Fault(error);
  }
}
