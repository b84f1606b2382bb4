// The meaning of a provider's refusal for the content of a request.

/** Formats of model APIs, as the relay names them. */
export type RefusalApi = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';

/** A provider's error: a status from 400 on, or 200 with an event before its model began. `text` is the body or the event's data, or the beginning of it. */
export type Refusal = { readonly status: number; readonly text: string };

/** A limit of a whole request. `sides`: no side of a picture may be longer, in a request with more pictures than `moreThan`. */
export type PictureLimit =
  | { readonly of: 'sides'; readonly maxPixels: number; readonly moreThan: number }
  | { readonly of: 'count'; readonly max: number };

/** `code`: a short word, ours or the API's own, of `a-z`, `0-9` and `_`. */
export type RefusalMeaning =
  /** This part: by the index of its message, of its part, and of the part in that part. */
  | { readonly kind: 'part'; readonly code: string; readonly path: readonly number[] }
  /** A file, and it does not say which one. */
  | { readonly kind: 'media'; readonly code: string }
  /** The pictures above a limit. Not certain: the refusal may be for something else, and the request is above this limit. */
  | { readonly kind: 'limit'; readonly code: string; readonly limit: PictureLimit; readonly isCertain: boolean }
  /** More than the model takes at once: no file is at fault. */
  | { readonly kind: 'too-large'; readonly code: string }
  /** Something in the request, and no row knows what. */
  | { readonly kind: 'unknown' }
  /** The refusal concerns no content: the key, the rate, or the provider's own trouble. */
  | { readonly kind: 'none' };
