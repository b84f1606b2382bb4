import { bareBase64 } from './base64-run.ts';
import { findMediaSpans, type MediaSpan } from './find-inline-media.ts';

/** Media inside a text. `payload` is bare: base64 without line breaks and escapes (standard or url-safe), or percent-encoded text. */
export type InlineMedia = MediaSpan & { payload: string };

/** Shorter runs are words, ids and digests. */
const MIN_BASE64_CHARACTERS = 256;

/** Finds the media that an agent wrote into its text: data URLs and long base64 (SR-24). Decoding is the caller's. */
export function findInlineMedia(text: string): InlineMedia[] {
  return findMediaSpans(text, MIN_BASE64_CHARACTERS).map((span) => ({ ...span, payload: payloadOf(text, span) }));
}

function payloadOf(text: string, span: MediaSpan): string {
  const payload = text.slice(span.payloadStart, span.end);
  return span.encoding === 'base64' ? bareBase64(payload) : payload;
}

/**
 * The text with all its media replaced. `replace` is called in order, once for each thing that `findInlineMedia` finds; where
 * it knows no replacement and returns undefined the bytes are taken out all the same, so that none reaches the log.
 */
export function stripInlineMedia(text: string, replace: (found: InlineMedia) => string | undefined): string {
  let stripped = '';
  let end = 0;
  for (const found of findInlineMedia(text)) {
    stripped += text.slice(end, found.start) + (replace(found) ?? describeRemoval(found));
    end = found.end;
  }
  return stripped + text.slice(end);
}

function describeRemoval(found: InlineMedia): string {
  return `[removed ${found.payload.length} ${found.encoding === 'base64' ? 'base64 ' : ''}characters]`;
}
