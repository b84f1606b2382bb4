import type { PlainAnswer } from '../errors/read-problem.ts';
import { describeFailedFetch } from '../request/requester.ts';
import type { UploadFile, UploadJob, UploadProgress } from './upload-way.ts';

/** Service workers are of browsers, which send a stream over HTTP/2 alone. */
const canSendStreams = (): boolean => !('registration' in globalThis);

export async function putByFetch(job: UploadJob, url: string, headers: Record<string, string>): Promise<PlainAnswer> {
  const { file, signal, requester } = job;
  try {
    const body = await chooseBody(job);
    const init = { method: 'PUT', headers, ...(signal && { signal }), ...body };
    const response = await requester.fetch(url, init);
    const text = await response.text();
    if (response.ok && file instanceof Blob) job.onProgress({ sentBytes: file.size, totalBytes: file.size });
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  } catch (cause) {
    throw describeFailedFetch(cause, signal);
  }
}

type Body = { body: Blob } | { body: ReadableStream<Uint8Array>; duplex: 'half' };

/** A stream only where somebody watches or there is nothing else: the head of a request names the length of a Blob. */
async function chooseBody(job: UploadJob): Promise<Body> {
  const { file } = job;
  const isBlob = file instanceof Blob;
  if (isBlob && !(job.isWatched && job.requester.isOwnFetch && canSendStreams())) return { body: file };
  if (!isBlob && !canSendStreams()) return { body: await new Response(file.stream()).blob() };
  return { body: countBytes(file, job.onProgress), duplex: 'half' };
}

function countBytes(file: UploadFile, onProgress: (progress: UploadProgress) => void): ReadableStream<Uint8Array> {
  const totalBytes = file.size ?? 0;
  let sentBytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sentBytes += chunk.byteLength;
      onProgress({ sentBytes, totalBytes });
    },
  });
  return (file.stream() as ReadableStream<Uint8Array>).pipeThrough(count);
}
