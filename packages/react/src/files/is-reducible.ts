const ENCODED = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** Bytes at the start of a file that show whether it moves. */
export const HEAD_BYTES = 64 * 1024;

/** Whether a smaller copy of an image shows all that the image shows: images that move, and types that a canvas cannot write, stay as they are. */
export function isReducible(mimeType: string, head: Uint8Array): boolean {
  if (!ENCODED.has(mimeType)) return false;
  if (mimeType === 'image/png') return !hasChunk(head, 'acTL');
  return mimeType !== 'image/webp' || !isMovingWebp(head);
}

// An animated PNG says so before its first pixels.
function hasChunk(head: Uint8Array, type: string): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (let at = 8; at + 8 <= head.length; at += 12 + view.getUint32(at)) {
    const found = readAscii(head, at + 4);
    if (found === type) return true;
    if (found === 'IDAT') return false;
  }
  return false;
}

// Flags of the extended header: the second bit is for animation.
function isMovingWebp(head: Uint8Array): boolean {
  return readAscii(head, 12) === 'VP8X' && ((head[20] ?? 0) & 0x02) !== 0;
}

const readAscii = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
