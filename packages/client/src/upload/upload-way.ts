import type { AttachmentSource, SessionPolicy } from '@attache/contracts';
import type { UploadAnswer } from '../answers.ts';
import type { Requester } from '../request/requester.ts';

/** Bytes that are read from a stream: `stream` is called once for each try, and gives all of them each time. */
export type StreamedFile = { stream(): ReadableStream<Uint8Array>; name?: string; type?: string; size?: number };

/** All that can be uploaded. */
export type UploadFile = Blob | StreamedFile;

/** `sentBytes` left this program; the server may not have them all yet. `totalBytes` is 0 where the size is not known. */
export type UploadProgress = { sentBytes: number; totalBytes: number };

export type UploadOptions = {
  /** Name of the file; that of a `File` without it. */
  name?: string | undefined;
  /** How a person or program brought the file in. */
  source?: AttachmentSource | undefined;
  /** Label of the encoding of a text, such as `windows-1251`; found out by the server without it. */
  encoding?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Called before each pause between two tries. */
  onWait?: (() => void) | undefined;
  /** Random without it. Two uploads with one key and the same bytes are one attachment. */
  idempotencyKey?: string | undefined;
};

/** One file on its way: the same object for all tries. */
export type UploadJob = {
  sessionId: string;
  file: UploadFile;
  name: string | undefined;
  mimeType: string;
  source: AttachmentSource | undefined;
  encoding: string | undefined;
  idempotencyKey: string;
  signal: AbortSignal | undefined;
  onProgress: (progress: UploadProgress) => void;
  /** Whether the caller asked for progress. */
  isWatched: boolean;
  requester: Pick<Requester, 'urlOf' | 'withToken' | 'fetch' | 'isOwnFetch'>;
};

/**
 * A way to bring bytes to the server. The client takes the first one that supports a file. After a failure that is worth it, `send` is called
 * again with the same job, so a way that can resume does so there. It rejects with an `AttacheError`.
 */
export type UploadWay = {
  supports(file: UploadFile, policy: SessionPolicy | undefined): boolean;
  send(job: UploadJob): Promise<UploadAnswer>;
};
