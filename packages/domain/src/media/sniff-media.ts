import { type SignatureJudge, signatures } from './media-signatures.ts';

/** What the first bytes of a file show: its type, that more of them are needed, or that they show none. */
export type Sniffed = { status: 'known'; mimeType: string } | { status: 'more' } | { status: 'unknown' };

/** As many bytes as a signature may look at. */
export const SNIFF_BYTES = 4096;

/**
 * The type of an image, document, sound or video by its first bytes. Stricter than a look at a file that somebody declares: these bytes come
 * out of any text that happens to decode. `isWhole` says that no more will come.
 */
export function sniffMedia(head: Uint8Array, isWhole: boolean): Sniffed {
  const text = latin1Of(head.subarray(0, SNIFF_BYTES));
  let needsMore = false;
  for (const { start, judge } of signatures) {
    if (!agree(text, start)) continue;
    const verdict = text.length < start.length ? 'more' : judgeAll(judge, text);
    if (verdict === 'more') needsMore = true;
    else if (verdict !== undefined) return { status: 'known', mimeType: verdict };
  }
  return { status: needsMore && !isWhole && head.length < SNIFF_BYTES ? 'more' : 'unknown' };
}

function agree(text: string, start: string): boolean {
  return text.length < start.length ? start.startsWith(text) : text.startsWith(start);
}

function judgeAll(judge: string | SignatureJudge, text: string): string | undefined {
  return typeof judge === 'string' ? judge : judge(text);
}

// One character for each byte, so that functions of texts serve for bytes.
function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
