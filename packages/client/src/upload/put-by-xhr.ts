import type { PlainAnswer } from '../errors/read-problem.ts';
import { abortedError } from '../request/pause.ts';
import { describeFailedFetch } from '../request/requester.ts';
import type { UploadJob } from './upload-way.ts';

type ProgressListener = (event: { loaded: number; total: number }) => void;

/** The part of XMLHttpRequest that is used: this package is compiled without the types of browsers. */
type Xhr = {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ProgressListener | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
};
type XhrClass = new () => Xhr;

export const findXhr = (): XhrClass | undefined =>
  (globalThis as unknown as { XMLHttpRequest?: XhrClass }).XMLHttpRequest;

export async function putByXhr(
  XhrOfBrowser: XhrClass,
  { file, signal, onProgress }: UploadJob,
  url: string,
  headers: Record<string, string>,
): Promise<PlainAnswer> {
  // Browsers send a stream over HTTP/2 alone.
  const body = file instanceof Blob ? file : await new Response(file.stream()).blob();
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError(signal));
    const xhr = new XhrOfBrowser();
    const onAbort = () => xhr.abort();
    const end = () => signal?.removeEventListener('abort', onAbort);
    xhr.onload = () => {
      end();
      resolve({ status: xhr.status, text: xhr.responseText, header: (name) => xhr.getResponseHeader(name) });
    };
    xhr.onerror = () => {
      end();
      reject(describeFailedFetch(undefined, signal));
    };
    xhr.onabort = xhr.onerror;
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sentBytes: loaded, totalBytes: total });
    signal?.addEventListener('abort', onAbort, { once: true });
    xhr.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.send(body);
  });
}
