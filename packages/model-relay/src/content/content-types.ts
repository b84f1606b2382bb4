// What a request says to a model, without a byte of it. May be kept and logged.

/** Whose words a block is in. Only those of a `user` and of a `tool-result` may be replaced. */
export type Place = 'user' | 'tool-result' | 'assistant' | 'system';

/** Of a body, in bytes: from `start` to before `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/** A text by the digest and size of what `JSON.stringify` makes of it, without its quotes: two texts have one digest only where they are the same. */
export type SpelledText = { readonly sha256: string; readonly sizeBytes: number };

type Common = {
  readonly place: Place;
  /** Two blocks of one kind, place and key are the same for a look at how far a conversation is known. */
  readonly key: string;
  /** Where it is in the body: the index of its message, of its part where the content is a list, of the part in that part. */
  readonly path: readonly number[];
  /** Whether it went out as a text in its place. All else is said of what came. */
  readonly isReplaced?: boolean;
  /** Of the smallest part that can be replaced. It is an object of JSON or, where `isString`, a string with its quotes. */
  readonly range: ByteRange;
  readonly isString: boolean;
  /** Whether it is an element of a list, and so is all that it lies in: a part of another kind may be there. */
  readonly isListed: boolean;
  /** Of the value of the part's `cache_control`, where it has one. */
  readonly cacheControl: ByteRange | undefined;
  /** Whether every provider reads it as the relay did. Where not, it proves nothing. */
  readonly isReadable: boolean;
};

export type MediaBlock = Common & {
  readonly kind: 'media';
  /** Of the decoded bytes. Empty for a file that is elsewhere, which is not readable. */
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
  /** Of a text in a message of the user's. */
  readonly whole: SpelledText | undefined;
  /** Texts of attachments in it: what lies between the first and the last line of a frame or, where it has no last one, up to the next frame or the end. */
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

/** What a generating request held, whole and in order, but for the system's prompt and the tools. */
export type RelayedContent = {
  readonly blocks: readonly ContentBlock[];
  /** Whether the model may call anything. */
  readonly hasTools: boolean;
  /** Whether it asks for an answer of a given form. */
  readonly hasAnswerForm: boolean;
  /** Whether the last message has a text that begins as an errand's does (`RelayAccess.errandTexts`). */
  readonly hasErrandText: boolean;
};
