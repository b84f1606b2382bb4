import { guessWideEncoding } from './guess-wide-encoding.ts';

/** Which encodings the beginning of a file speaks for, the likeliest first. Labels of the WHATWG Encoding Standard, or of UTF-32. */
export type FirstEncodings = {
  encodings: readonly string[];
  hasByteOrderMark: boolean;
  /** Whether it may be text in an older encoding, too, of which letter frequencies tell. */
  mayBeOlder: boolean;
};

// That of UTF-32 begins with that of UTF-16.
const byteOrderMarks: [string, number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * By the first 64 KiB. A byte order mark decides. Else strict UTF-8 is first: hardly anything else passes it. UTF-16 and UTF-32 without a
 * mark, which letter frequencies take for ISO-8859-1, are known by themselves.
 */
export function listFirstEncodings(head: Uint8Array): FirstEncodings {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => head[index] === byte));
  if (marked) return { encodings: [marked[0]], hasByteOrderMark: true, mayBeOlder: false };
  const wide = head.includes(0) ? guessWideEncoding(head) : undefined;
  return {
    encodings: wide === undefined ? ['utf-8'] : ['utf-8', wide],
    hasByteOrderMark: false,
    mayBeOlder: !head.includes(0),
  };
}
