import type { ByteReference } from '@attache/contracts';

/**
 * How the bytes behind a reference are written. What `base64`, `text` and `url` return may be a mark that the caller replaces
 * while it streams: a converter puts it in its place whole, once, and never looks into it.
 */
export type ByteRendering = {
  base64(reference: ByteReference): string;
  /** Only for bytes that are UTF-8. */
  text(reference: ByteReference): string;
  /** Set if the caller wants URLs. If a format has no URL form for a part, it takes base64 all the same. */
  url?(reference: ByteReference): string;
  /** Set if the program reads files of its own machine. Absolute, and never a mark: it may become an argument. */
  path?(reference: ByteReference): string;
};

/** For programs that take files only by their path. */
export type PathRendering = ByteRendering & { path(reference: ByteReference): string };

export function writeDataUrl(reference: ByteReference, rendering: ByteRendering): string {
  return `data:${reference.mimeType};base64,${rendering.base64(reference)}`;
}
