// Facts about the requests that an agent's program made, as the verdicts need them. The gateway makes them from the relay's reports.

/** A text by the digest and size of what `JSON.stringify` makes of it, without its quotes. */
export type SpelledText = { readonly sha256: string; readonly sizeBytes: number };

export type WireBlock = {
  readonly place: WirePlace;
  /** Two blocks of one kind, place and key are the same for a look at how far the conversation was known before. */
  readonly key: string;
  /** The place in the body: the index of its message, of its part if the content is a list, and of the part inside that part. */
  readonly path?: readonly number[] | undefined;
  /** Whether the relay sent a text in its place. */
  readonly isReplaced?: boolean | undefined;
  /** The byte range in the body, as far as it is known. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
} & (
  | {
      readonly kind: 'media';
      readonly isReadable: boolean;
      /** Digest of the decoded bytes. */
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly mimeType?: string | undefined;
      /** Whether a text may take its place; undefined: it may. */
      readonly isListed?: boolean | undefined;
      readonly width?: number | undefined;
      readonly height?: number | undefined;
    }
  | {
      readonly kind: 'text';
      readonly isReadable: boolean;
      /** Only for a text in a user message. */
      readonly whole: SpelledText | undefined;
      /** Texts of attachments in it. */
      readonly framed: readonly SpelledText[];
    }
  | { readonly kind: 'other' }
);
type WirePlace = 'user' | 'tool-result' | 'assistant' | 'system';

/** A generating request to the target's model that a program made for a turn, and not for an errand of its own. */
export type WireRequest = {
  /** Undefined if it was not read whole and without doubt. */
  readonly blocks: readonly WireBlock[] | undefined;
  /** Undefined if the provider did not respond. */
  readonly answer: { readonly status: number; readonly hasBegun: boolean } | undefined;
};

/** The bytes that were sent of a planned item: the item's own or, for a page of a document, the page's own. */
export type SentItem = {
  /** `message`: with the message. `tool`: handed out when the agent asked for it. `none`: no bytes of it went out. */
  readonly by: 'message' | 'tool' | 'none';
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Set if it is text. */
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
  /** The evidence; absent for `unknown`. */
  readonly proof?: 'wire';
  /** The bytes that left for the provider; `altered` if they are not ours. */
  readonly wire?: { readonly sha256: string; readonly sizeBytes: number; readonly altered: boolean };
};

/** The model began to answer it. */
export const isAccepted = ({ answer }: WireRequest): boolean =>
  answer?.hasBegun === true && answer.status >= 200 && answer.status < 300;

/** Refused for its content: not for its key, its rate or its provider's trouble. */
export const isRefusedForContent = ({ answer }: WireRequest): boolean =>
  answer !== undefined && [400, 413, 415, 422].includes(answer.status);
