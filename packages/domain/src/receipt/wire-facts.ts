// What was seen of the requests that an agent's program made, as the verdicts need it. The gateway makes these of what the relay reports.

/** A text by the digest and size of what `JSON.stringify` makes of it, without its quotes. */
export type SpelledText = { readonly sha256: string; readonly sizeBytes: number };

export type WireBlock = {
  readonly place: WirePlace;
  /** Two blocks of one kind, place and key are the same for a look at how far the conversation was known before. */
  readonly key: string;
  /** Where it is in the body: the index of its message, of its part where the content is a list, of the part in that part. */
  readonly path?: readonly number[] | undefined;
  /** Whether the relay sent a text in its place. */
  readonly isReplaced?: boolean | undefined;
  /** Of the body, in bytes: where it lies, as far as that is known. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
} & (
  | {
      readonly kind: 'media';
      readonly isReadable: boolean;
      /** Of the decoded bytes. */
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly mimeType?: string | undefined;
      readonly width?: number | undefined;
      readonly height?: number | undefined;
    }
  | {
      readonly kind: 'text';
      readonly isReadable: boolean;
      /** Of a text in a message of the user's. */
      readonly whole: SpelledText | undefined;
      /** Texts of attachments in it. */
      readonly framed: readonly SpelledText[];
    }
  | { readonly kind: 'other' }
);
type WirePlace = 'user' | 'tool-result' | 'assistant' | 'system';

/** A generating request to the target's model that a program made for a turn, and not for an errand of its own. */
export type WireRequest = {
  /** Undefined where it was not read whole and without doubt. */
  readonly blocks: readonly WireBlock[] | undefined;
  /** Undefined where the provider did not answer. */
  readonly answer: { readonly status: number; readonly hasBegun: boolean } | undefined;
};

/** What was sent of an item of a plan: bytes, or for a page of a document its own. */
export type SentItem = {
  /** `message`: with the message. `tool`: handed out when the agent asked for it. `none`: no bytes of it went out. */
  readonly by: 'message' | 'tool' | 'none';
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Set where it is text. */
  readonly spelled?: SpelledText | undefined;
  /** In pixels, where it is a picture. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
};

/** The turn of a delivery, from the moment at which it was written. */
export type WireTurn = {
  /** In the order in which they began. */
  readonly requests: readonly WireRequest[];
  /** The last one of the agent's earlier turns that its provider accepted. `unseen`: there were such turns, of a process before this one. */
  readonly earlier: WireRequest | 'unseen' | undefined;
  /** The agent ended it, without an error and without being stopped. */
  readonly endedByItself: boolean;
};

export type WireVerdict = {
  readonly verdict: 'delivered' | 'refused' | 'dropped' | 'unknown';
  /** What shows it; absent for `unknown`. */
  readonly proof?: 'wire';
  /** What left for the provider; `altered`: other bytes than ours. */
  readonly wire?: { readonly sha256: string; readonly sizeBytes: number; readonly altered: boolean };
};

/** The model began to answer it. */
export const isAccepted = ({ answer }: WireRequest): boolean =>
  answer?.hasBegun === true && answer.status >= 200 && answer.status < 300;

/** For what it held: not for its key, its rate or its provider's trouble. */
export const isRefusedForContent = ({ answer }: WireRequest): boolean =>
  answer !== undefined && [400, 413, 415, 422].includes(answer.status);
