import { guessWideEncoding } from './guess-wide-encoding.ts';

/** The encodings that the beginning of a file suggests, the likeliest first. Labels of the WHATWG Encoding Standard, or of UTF-32. */
export type FirstEncodings = {
  encodings: readonly string[];
  hasByteOrderMark: boolean;
  /** Whether it may also be text in an older encoding, which letter frequencies show, or one with bytes that are no text. */
  mayBeOlder: boolean;
};

// The mark of UTF-32 begins with that of UTF-16.
const byteOrderMarks: [string, number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Lists encodings to try first, from the first 64 KiB. A byte order mark decides. Otherwise strict UTF-8 comes first: hardly anything else passes it. UTF-16
 * and UTF-32 without a mark, which letter frequencies mistake for ISO-8859-1, are detected separately.
 */
export function listFirstEncodings(head: Uint8Array): FirstEncodings {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => head[index] === byte));
  if (marked) return { encodings: [marked[0]], hasByteOrderMark: true, mayBeOlder: false };
  const wide = head.includes(0) ? guessWideEncoding(head) : undefined;
  return {
    encodings: wide === undefined ? ['utf-8'] : ['utf-8', wide],
    hasByteOrderMark: false,
    mayBeOlder: countControlRuns(head) * leastPerControl <= head.length,
  };
}

// A log may hold a few; where a machine lost its power, a block of zeros. Other files are full of them.
const leastPerControl = 50;

function countControlRuns(head: Uint8Array): number {
  let runs = 0;
  let before = 0x20;
  for (const byte of head) {
    if (isControl(byte) && byte !== before) runs += 1;
    before = byte;
  }
  return runs;
}

const isControl = (byte: number): boolean => byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b;
