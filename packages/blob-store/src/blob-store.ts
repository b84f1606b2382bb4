import type { Readable } from 'node:stream';
import type { BlobKey } from './blob-key.ts';

/** Bytes `start` to `end`, both included, counted from 0. An `end` behind the last byte means the last byte. */
export type BlobRange = { start: number; end: number };

export type PutOptions = {
  /** The length that the body must have, if it is known beforehand. */
  sizeBytes?: number | undefined;
  /** Stops the put, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type PresignOptions = {
  expiresInSeconds: number;
  /** Sent as Content-Disposition with the bytes. */
  disposition?: string | undefined;
  /** Sent as Content-Type with the bytes. */
  mimeType?: string | undefined;
};

/**
 * Immutable bytes under opaque keys. Every method may throw Fault `STORAGE_UNAVAILABLE` (retryable).
 * The contract suite (`blob-store.contract.ts`) says what an implementation must do.
 */
export interface BlobStore {
  /** Recorded with every blob, e.g. `files`. */
  readonly id: string;
  /**
   * Stores the body once: durable when it resolves, invisible before, nothing is kept when it rejects.
   * The body must not reuse its buffers. Its own error is rethrown as it is. A put that is refused at once does not begin to read it.
   * Faults: `UPLOAD_CONFLICT` (the key is taken), `INVALID_REQUEST` (not `sizeBytes` long).
   */
  put(key: BlobKey, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<{ sizeBytes: number }>;
  /** Throws BlobNotFoundError. */
  head(key: BlobKey): Promise<{ sizeBytes: number }>;
  /**
   * The bytes, or a range of them. Consume or destroy the stream: it holds a file or a connection.
   * Throws BlobNotFoundError and Fault `RANGE_NOT_SATISFIABLE` before the first byte.
   */
  get(key: BlobKey, range?: BlobRange): Promise<Readable>;
  /** Resolves also where there is no such blob. */
  delete(key: BlobKey): Promise<void>;
  /**
   * Copies the blob to a new file (mode 0600) that shares nothing with the stored one; an existing `path` is an error (`EEXIST`).
   * A local store moves no byte through this process. Throws BlobNotFoundError.
   */
  copyToFile(key: BlobKey, path: string): Promise<void>;
  /** A URL that reads the blob without further credentials. Missing where a store has none. */
  presign?(key: BlobKey, options: PresignOptions): Promise<string>;
  /** Tries a real write and delete. Throws Fault `STORAGE_UNAVAILABLE` that names what is wrong. */
  checkReady(): Promise<void>;
}

/** There is no blob under this key. */
export class BlobNotFoundError extends Error {
  override readonly name = 'BlobNotFoundError';
  readonly key: BlobKey;

  constructor(key: BlobKey, options: { cause?: unknown } = {}) {
    super('The blob store holds no blob under this key.', options);
    this.key = key;
  }
}
