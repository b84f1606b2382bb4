import { createEndFinder, type EndFinder, type MediaEnd } from './media-end.ts';
import { SNIFF_BYTES, type Sniffed, sniffMedia } from './sniff-media.ts';

/** Looks at the bytes of one encoding as they come: what they are, and whether they are all there. */
export type MediaProbe = {
  push(bytes: Uint8Array): void;
  /** No more bytes come. */
  finish(): void;
  readonly sniffed: Sniffed;
  readonly sizeBytes: number;
  /** The state if these bytes followed those that were pushed. */
  endBehind(bytes: Uint8Array): MediaEnd;
  /** At a place where the file may end: whether it continues with these bytes; undefined if that cannot be said. */
  goesOnWith(head: Uint8Array): boolean | undefined;
  readonly missingBytes: number;
};

/** Sniffing again at each byte would cost a square. */
const SNIFF_STEPS = [4, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, SNIFF_BYTES];

/** The end is `open` as long as the type is not known: a head that is read over line breaks continues. */
export function createMediaProbe(): MediaProbe {
  let head: Uint8Array = new Uint8Array(0);
  let sniffed: Sniffed = { status: 'more' };
  let finder: EndFinder | undefined;
  let sizeBytes = 0;
  let stepAt = 0;

  const sniff = (isWhole: boolean) => {
    sniffed = sniffMedia(head, isWhole);
    while (head.length >= (SNIFF_STEPS[stepAt] ?? Number.POSITIVE_INFINITY)) stepAt += 1;
    if (sniffed.status === 'more') return;
    if (sniffed.status === 'known') {
      finder = createEndFinder(sniffed.mimeType, head);
      finder.push(head);
    }
    head = head.subarray(0, 0);
  };

  return {
    push(bytes) {
      sizeBytes += bytes.length;
      if (sniffed.status !== 'more') {
        finder?.push(bytes);
        return;
      }
      const joined = new Uint8Array(head.length + bytes.length);
      joined.set(head);
      joined.set(bytes, head.length);
      head = joined;
      if (head.length >= (SNIFF_STEPS[stepAt] ?? 0)) sniff(false);
    },
    finish() {
      if (sniffed.status === 'more') sniff(true);
    },
    get sniffed() {
      return sniffed;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    endBehind(bytes) {
      if (sniffed.status === 'more') return 'open';
      return finder?.endBehind(bytes) ?? 'unknown';
    },
    goesOnWith: (head) => finder?.goesOnWith(head),
    get missingBytes() {
      return finder?.missingBytes ?? 0;
    },
  };
}
