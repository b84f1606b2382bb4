/** Bytes as text with one character for each, so that text functions serve for them. For beginnings of files: a few thousand bytes. */
export function readLatin1(bytes: Uint8Array): string {
  // Seven times as fast as spreading them.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
