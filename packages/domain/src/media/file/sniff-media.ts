import { type SignatureJudge, signatures } from './media-signatures.ts';

/** The result of looking at the first bytes of a file: its type, that more bytes are needed, or that they show no type. */
export type Sniffed = { status: 'known'; mimeType: string } | { status: 'more' } | { status: 'unknown' };

/** The maximum of bytes that a signature may look at. */
export const SNIFF_BYTES = 4096;

/** The signatures by their first byte; most bytes begin none. */
const byFirstByte = new Map<number, { bytes: number[]; judge: string | SignatureJudge }[]>();
for (const { start, judge } of signatures) {
  const bytes = Array.from(start, (character) => character.charCodeAt(0));
  const [first = 0] = bytes;
  byFirstByte.set(first, [...(byFirstByte.get(first) ?? []), { bytes, judge }]);
}

/**
 * The type of an image, document, sound or video by its first bytes. Stricter than a look at a declared file: these bytes come out of any text that happens to
 * decode. `isWhole` says that no more will come.
 */
export function sniffMedia(head: Uint8Array, isWhole: boolean): Sniffed {
  const [first] = head;
  if (first === undefined) return isWhole ? UNKNOWN : MORE;
  let text: string | undefined;
  let needsMore = false;
  for (const { bytes, judge } of byFirstByte.get(first) ?? []) {
    if (!agree(head, bytes)) continue;
    text ??= latin1Of(head.subarray(0, SNIFF_BYTES));
    const verdict = text.length < bytes.length ? 'more' : typeof judge === 'string' ? judge : judge(text);
    if (verdict === 'more') needsMore = true;
    else if (verdict !== undefined) return { status: 'known', mimeType: verdict };
  }
  return needsMore && !isWhole && head.length < SNIFF_BYTES ? MORE : UNKNOWN;
}

const MORE: Sniffed = { status: 'more' };
const UNKNOWN: Sniffed = { status: 'unknown' };

function agree(head: Uint8Array, start: readonly number[]): boolean {
  const length = Math.min(head.length, start.length);
  for (let at = 1; at < length; at += 1) if (head[at] !== start[at]) return false;
  return true;
}

// One character for each byte, so that functions of texts serve for bytes.
function latin1Of(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
