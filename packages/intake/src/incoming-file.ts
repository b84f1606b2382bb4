import type { BlobStore } from '@attache/blob-store';
import type { Actor, Attachment, AttachmentOrigin, AttachmentSource } from '@attache/contracts';
import type { Database, Fence, IdempotencyKey } from '@attache/database';
import type { SigningKeys } from './signing-keys.ts';

export type IntakeDeps = {
  db: Database;
  blobs: BlobStore;
  signingKeys: SigningKeys;
  /** Absolute URLs start with it; ends before `/attachments`. */
  baseUrl: () => string;
};

export type IncomingFile = {
  tenantId: string;
  sessionId: string;
  stream: AsyncIterable<Uint8Array>;
  /** Length where the sender states one. */
  sizeBytes?: number | undefined;
  /** Hex digest where the sender states one. */
  expectedSha256?: string | undefined;
  maxBytes: number;
  name?: string | undefined;
  declaredMimeType?: string | undefined;
  origin: AttachmentOrigin;
  source?: AttachmentSource | undefined;
  actor: Actor;
  /** Settles after the file's last byte: a body that breaks behind the file keeps nothing of it. */
  finished?: Promise<void> | undefined;
  /** The agent that made the file, by uuid: it may read it again. */
  agentId?: string | undefined;
  fence?: Fence | undefined;
  idempotency?: UploadIdempotency | undefined;
};

export type UploadIdempotency = IdempotencyKey & {
  seal(answer: StoredFile): string;
  unseal(sealed: string): StoredFile;
};

/** The answer to an upload (AT-18). */
export type StoredFile = { attachment: Attachment; displayUrl: string };
