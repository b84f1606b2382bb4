import type { BlobStore } from '@attache/blob-store';
import type { Actor, Attachment, AttachmentOrigin, AttachmentSource } from '@attache/contracts';
import type { Database, Fence, IdempotencyKey, UploadTerms } from '@attache/database';
import type { KeyPools } from './reserve/key-pools.ts';
import type { SigningKeys } from './signing-keys.ts';

export type IntakeDeps = {
  db: Database;
  blobs: BlobStore;
  signingKeys: SigningKeys;
  /** Absolute URLs start with it; ends before `/attachments`. */
  baseUrl: () => string;
  /** Incarnation whose lease says that this process lives; without one its reservations outlive it for a day. */
  holder?: string | undefined;
  /** Keys that are reserved already; without them each upload reserves for itself. */
  keyPools?: KeyPools | undefined;
};

/** The facts known about a file before its first byte. */
export type IncomingFile = {
  tenantId: string;
  sessionId: string;
  /** Length where the sender states one. */
  sizeBytes?: number | undefined;
  /** The upper bound of the length if nobody states it: the length of the body around the file. */
  bodyBytes?: number | undefined;
  maxBytes: number;
  origin: AttachmentOrigin;
  actor: Actor;
  /** The agent that made the file, by uuid: it may read it again. */
  agentId?: string | undefined;
  fence?: Fence | undefined;
  /** How long its display URL lives; ten years by default. */
  urlLifetimeSeconds?: number | undefined;
  idempotency?: UploadIdempotency | undefined;
  /** The upload's terms from the look-up of the credential; without them it gets no key of a pool. `urlGeneration` is that of the tenant's signed URLs. */
  terms?: (UploadTerms & { urlGeneration: number }) | undefined;
};

export type UploadIdempotency = IdempotencyKey & {
  /** With which the edge answers, kept for a repeated request. */
  status: number;
  seal(answer: StoredFile): string;
  unseal(sealed: string): StoredFile;
};

/** A file whose bytes come: what its sender says of it, and those. */
export type OpenedFile = {
  stream: AsyncIterable<Uint8Array>;
  /** Hex digest where the sender states one. */
  expectedSha256?: string | undefined;
  name?: string | undefined;
  declaredMimeType?: string | undefined;
  /** Label of the encoding of a text, where the sender names it. */
  encoding?: string | undefined;
  source?: AttachmentSource | undefined;
  /** Settles after the file's last byte: a body that breaks behind the file keeps nothing of it. */
  finished?: Promise<void> | undefined;
};

/** Both of it. */
export type ReceivedFile = IncomingFile & OpenedFile;

/** The answer to an upload (AT-18). */
export type StoredFile = { attachment: Attachment; displayUrl: string };
