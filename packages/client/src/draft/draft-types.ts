import type {
  Attachment,
  AttachmentId,
  AttachmentKind,
  AttachmentSource,
  Failure,
  SessionPolicy,
} from '@attache/contracts';

/**
 * Makes an image smaller before it is sent. If it fails, the image is sent as it is. The signal is aborted once the file is removed or
 * cancelled.
 */
export type ReduceImage = (file: Blob, options: { signal: AbortSignal }) => Promise<Blob>;

export type DraftOptions = {
  /**
   * Accepted media types and patterns: `image/png`, `image/*`, `.pdf`. Without it, what the agents in `to` take by the session's policy, and
   * images where that is not known.
   */
  supported?: readonly string[] | undefined;
  /** Ids of the agents that the message is for; all agents of the session without it. */
  to?: readonly string[] | undefined;
  /** How many files are sent at once; 3 without it. */
  concurrency?: number | undefined;
  maxFiles?: number | undefined;
  reduceImages?: ReduceImage | undefined;
};

export type RejectionCode = 'type' | 'size' | 'count' | 'quota' | 'empty' | 'unreadable';

/** A file that was not added. `limit` and `actual` are bytes for `size` and `quota`, files for `count`. */
export type Rejection = {
  name: string;
  code: RejectionCode;
  limit?: number;
  actual?: number;
  /** Text for people: the fault, the limit, and what to do. */
  reason: string;
};

/** `waiting`: the last try failed, and the next one follows by itself. `inspecting`: the server has all bytes and looks at them. */
export type DraftPhase = 'queued' | 'reducing' | 'sending' | 'waiting' | 'inspecting';

/** `failure` where the server looked at the file and rejected it. */
export type DraftError = { code: string; message: string; retryable: boolean; failure?: Failure };

export type DraftItem = {
  /** Unique in the draft. */
  readonly key: string;
  /** Smaller than that of the snapshot while a message with it is being sent. */
  readonly generation: number;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** A guess until the server has inspected the file. */
  readonly kind: AttachmentKind;
  readonly status: 'uploading' | 'ready' | 'error';
  /** Only while it is uploading. */
  readonly phase?: DraftPhase;
  /** For a progress bar: less than `totalBytes` until the file is ready. */
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** The local file, for images. */
  readonly previewFile?: Blob;
  /** The next three only where it is ready. `displayUrl` is absent for a restored file of which no URL may be made. */
  readonly attachment?: Attachment;
  readonly id?: AttachmentId;
  readonly displayUrl?: string;
  readonly error?: DraftError;
};

/** Immutable, and the same object until something changes. */
export type DraftSnapshot = {
  readonly generation: number;
  readonly items: readonly DraftItem[];
  /** Ids of the ready files of this generation, in their order. */
  readonly referenceIds: readonly AttachmentId[];
  /** Whether a file of this generation is not ready yet. */
  readonly isBusy: boolean;
  /** Undefined until it is read, or where this caller or server has none. */
  readonly policy?: SessionPolicy;
};

/** An image as the body of a message can hold it (`attachments`). */
export type ImageContent = { data: string; mimeType: string; filename: string };

/** The files of a message that is not sent yet. */
export type Draft = {
  getSnapshot(): DraftSnapshot;
  /** Judges the files that are added from now on by other rules. Other agents in `to` have another policy, which is read at once. */
  changeRules(rules: Pick<DraftOptions, 'supported' | 'to' | 'maxFiles'>): void;
  /** Returns what ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Adds files and begins to upload them. Those that are certain to be refused are rejected before a byte is sent. */
  add(files: Iterable<Blob>, options?: { source?: AttachmentSource | undefined }): Promise<{ rejected: Rejection[] }>;
  /** Takes a file out, and deletes it on the server unless a message with it is being sent. */
  remove(key: string): void;
  /** Stops the upload of a file, which stays with an error and can be tried again. */
  cancel(key: string): void;
  /** Uploads a failed file again. */
  retry(key: string): void;
  /** Drops all files but those of messages that are being sent, and begins a new generation. Stored files are not deleted. */
  clear(): void;
  /** Adds files that are on the server already. Ids that name nothing are `missing`. */
  restore(attachmentIds: readonly string[]): Promise<{ missing: string[] }>;
  /** The images of this generation in base64, for a message that brings its files along. */
  toImageContents(): Promise<ImageContent[]>;
  /** Reads the ready files again, such as after a send that missed one: those that the server no longer has become errors. */
  recheck(): Promise<void>;
  /** Begins to send: the ready files leave the draft, which begins a new generation, until `settle` says how the send ended. */
  take(): { generation: number; attachmentIds: AttachmentId[] };
  /** `sent` clears exactly the files that were taken; `failed` puts them back. */
  settle(generation: number, outcome: 'sent' | 'failed'): void;
};
