import { withSpan } from '@attache/telemetry';
import type { BlobKey } from '../blob-key.ts';
import type { S3 } from './client.ts';
import { type Exchange, startExchange } from './exchange.ts';
import { type S3Answer, toAnswerFault, toConnectionError, toS3Fault } from './fault.ts';
import type { HttpMethod, OutgoingRequest, S3Transport } from './transport.ts';

export type S3Call = {
  operation: string;
  method: HttpMethod;
  /** A blob's key; `name` for the few objects that are none. */
  key?: BlobKey | undefined;
  name?: string | undefined;
  query?: Record<string, string> | undefined;
  headers?: Record<string, string> | undefined;
  body?: Uint8Array | undefined;
  /** For answers that come late by their nature. */
  timeoutMs?: number | undefined;
};

/** A small request, repeated once where the connection fails. Anything but success is thrown as a Fault or BlobNotFoundError. */
export async function callS3(s3: S3, call: S3Call): Promise<S3Answer> {
  return inS3Span(s3, call, async () => {
    const answer = await askS3(s3, call).catch((error: unknown) => {
      throw toS3Fault(error);
    });
    if (answer.status >= 300) throw toAnswerFault(call.operation, answer, call.key);
    return answer;
  });
}

/** Returns the server's response, whatever it is. Throws S3ConnectionError. */
export async function askS3(s3: S3, call: S3Call): Promise<S3Answer> {
  const { method, headers, body, timeoutMs } = call;
  const url = s3.sign({ method, key: call.key ?? call.name, query: call.query });
  const length = method === 'PUT' || method === 'POST' ? { 'content-length': String(body?.byteLength ?? 0) } : {};
  const outgoing = { method, url, headers: { ...headers, ...length }, timeoutMs };
  const exchange = await connectExchange(s3.transport, outgoing);
  exchange.end(body === undefined ? [] : [body]);
  try {
    return await exchange.answer();
  } catch (error) {
    if (body !== undefined || toConnectionError(error).code === 'ETIMEDOUT') throw error;
    const second = startExchange(s3.transport, outgoing);
    second.end();
    return await second.answer();
  }
}

/** An open connection, before a byte is sent: if opening fails it is tried once more. */
export async function connectExchange(transport: S3Transport, outgoing: OutgoingRequest): Promise<Exchange> {
  const first = startExchange(transport, outgoing);
  try {
    await first.connected;
    return first;
  } catch (error) {
    if (toConnectionError(error).code === 'ETIMEDOUT') throw error;
    const second = startExchange(transport, outgoing);
    await second.connected;
    return second;
  }
}

/** A put exactly as it is described, whatever the server answers. Throws S3ConnectionError. */
export async function putRaw(transport: S3Transport, { url, headers, body }: RawPut): Promise<S3Answer> {
  const bytes = Buffer.from(body);
  const exchange = await connectExchange(transport, {
    method: 'PUT',
    url,
    headers: { ...headers, 'content-length': String(bytes.length) },
  });
  exchange.end([bytes]);
  return exchange.answer();
}

type RawPut = { url: string; headers: Record<string, string>; body: string };
type SpanSubject = { operation: string; key?: BlobKey | undefined; sizeBytes?: number | undefined };

/** Runs `work` in the span of one S3 operation. The span never knows a URL: it holds a signature. */
export function inS3Span<T>(s3: S3, { operation, key, sizeBytes }: SpanSubject, work: () => Promise<T>): Promise<T> {
  const attributes = {
    'rpc.method': operation,
    'aws.s3.bucket': s3.bucket,
    ...(key === undefined ? {} : { 'aws.s3.key': key }),
    ...(sizeBytes === undefined ? {} : { 'att.size': sizeBytes }),
  };
  return withSpan({ name: `S3.${operation}`, kind: 'client', attributes }, work);
}
