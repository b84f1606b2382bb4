// The structure of a request to a model, without a byte of its content. May be kept and logged.

/** The author of a block. Only blocks of a `user` and of a `tool-result` may be replaced. */
export type Place = 'user' | 'tool-result' | 'assistant' | 'system';

/** Bytes of a body: from `start` to before `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/** A text by the digest and size of what `JSON.stringify` makes of it, without its quotes: two texts have one digest only where they are the same. */
export type SpelledText = { readonly sha256: string; readonly sizeBytes: number };

type Common = {
  readonly place: Place;
  /** Two blocks of one kind, place and key are the same for a look at how far a conversation is known. */
  readonly key: string;
  /** The place in the body: the index of its message, of its part if the content is a list, and of the part inside that part. */
  readonly path: readonly number[];
  /** Whether it went out as a text in its place. All other fields describe the block as it came. */
  readonly isReplaced?: boolean;
  /** Range of the smallest part that can be replaced. It is an object of JSON or, with `isString`, a string with its quotes. */
  readonly range: ByteRange;
  readonly isString: boolean;
  /** Whether it is an element of a list, and so is everything around it: a part of another kind may take its place. */
  readonly isListed: boolean;
  /** Range of the value of the part's `cache_control`, if it has one. */
  readonly cacheControl: ByteRange | undefined;
  /** Whether every provider reads it as the relay did. Where not, it proves nothing. */
  readonly isReadable: boolean;
};

export type MediaBlock = Common & {
  readonly kind: 'media';
  /** Digest of the decoded bytes. Empty for a file that is elsewhere, which is not readable. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** As the request says it; `audio/<format>` where it names a format. */
  readonly mimeType: string | undefined;
  /** In pixels, where the first bytes say so. */
  readonly width: number | undefined;
  readonly height: number | undefined;
};

export type TextBlock = Common & {
  readonly kind: 'text';
  /** Only for a text in a user message. */
  readonly whole: SpelledText | undefined;
  /** Texts of attachments in it: the text between the first and the last line of a frame or, if it has no last line, up to the next frame or the end. */
  readonly framed: readonly SpelledText[];
};

/** A call, a result without its contents, what a model thought. */
export type OtherBlock = {
  readonly kind: 'other';
  readonly place: Place;
  readonly key: string;
  readonly path: readonly number[];
};

export type ContentBlock = MediaBlock | TextBlock | OtherBlock;

/** The content of a generating request, whole and in order, except for the system's prompt and the tools. */
export type RelayedContent = {
  readonly blocks: readonly ContentBlock[];
  /** Whether the model may call anything. */
  readonly hasTools: boolean;
  /** Whether it asks for an answer of a given form. */
  readonly hasAnswerForm: boolean;
  /** Whether the last message has a text that begins as an errand's does (`RelayAccess.errandTexts`). */
  readonly hasErrandText: boolean;
};
