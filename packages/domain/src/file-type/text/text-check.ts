import { createLenientDecoder, type FaultCounts, type LenientOptions } from './lenient-decoder.ts';
import { createMediaHint } from './media-hint.ts';
import { createPieceDecoder, isDecodingError } from './text-decoder.ts';

/** Whether bytes are text in one encoding, while they pass. */
export type TextCheck = {
  /** False: they are not, whatever follows. */
  push(bytes: Uint8Array): boolean;
  /** After the last byte: whether all of it is text. */
  end(): boolean;
  /** In what was pushed. */
  faults(): FaultCounts;
  /** Whether it may be in an encoding of 7 bits, which reads as ASCII. */
  mayShift(): boolean;
  /** Whether files may be in it as base64. */
  mayHoldMedia(): boolean;
};

// After each of these the share of controls is looked at, wherever the pieces that come are cut.
const windowBytes = 64 * 1024;

// A log or a record of a protocol may hold many. In an encoding that takes nearly all bytes for characters, they suggest that the file is no text.
const mostControls = (encoding: string) => (encoding === 'utf-8' ? 6 : 50);

/** The rules for a text with bytes that are none. */
export type TextCheckOptions = LenientOptions & {
  /** Allow a few of them. Otherwise there may be none. */
  isLenient?: boolean;
  /** Gets the text as it is decoded. */
  onText?: (text: string) => void;
};

/** In bounded memory. The labels must be known. What it says does not depend on where the bytes are cut into pieces. */
export function createTextCheck(
  encoding: string,
  { isLenient = false, linesAs, onText }: TextCheckOptions = {},
): TextCheck {
  const lenient = isLenient ? createLenientDecoder(encoding, { linesAs }) : undefined;
  const decoder = lenient ?? createPieceDecoder(encoding);
  const look = createLook();
  let isText = true;
  let bytesInWindow = 0;
  let sizeBytes = 0;

  function endWindow(): void {
    bytesInWindow = 0;
    if (look.controls() * mostControls(encoding) > look.length()) isText = false;
    // So many do not become few by the end, and each line with one takes time.
    if (faults().replaced * hopelessPerFault > look.length()) isText = false;
  }

  function decode(piece?: Uint8Array): void {
    try {
      const text = piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
      if (text.includes('\0')) isText = false;
      look.push(text);
      onText?.(text);
    } catch (error) {
      if (!isDecodingError(error)) throw error;
      isText = false;
    }
  }

  const faults = () => lenient?.faults() ?? noFaults;

  return {
    push(bytes) {
      sizeBytes += bytes.length;
      for (let start = 0; isText && start < bytes.length; ) {
        const piece = bytes.subarray(start, start + windowBytes - bytesInWindow);
        decode(piece);
        start += piece.length;
        bytesInWindow += piece.length;
        if (bytesInWindow === windowBytes) endWindow();
      }
      return isText;
    },
    end() {
      if (isText) decode();
      endWindow();
      // A byte order mark alone is an empty text.
      return isText && sizeBytes > 0 && faults().replaced * leastPerFault <= look.length();
    },
    faults,
    mayShift: look.mayShift,
    mayHoldMedia: look.mayHoldMedia,
  };
}

/** Looks at a text as it passes. */
function createLook() {
  const mediaHint = createMediaHint();
  let length = 0;
  let controls = 0;
  let mayShift = false;
  return {
    push(text: string): void {
      length += text.length;
      controls += countControls(text);
      mayShift ||= shiftsCharacters(text);
      mediaHint.push(text);
    },
    length: () => length,
    controls: () => controls,
    mayShift: () => mayShift,
    mayHoldMedia: mediaHint.isFound,
  };
}

const noFaults: FaultCounts = { replaced: 0, otherLines: 0 };

// Text in which more is wrong is no text.
const leastPerFault = 50;
const hopelessPerFault = 8;

// Encodings of 7 bits read as ASCII: ISO-2022 begins with `ESC $` and a set, HZ with `~{`.
function shiftsCharacters(text: string): boolean {
  return text.includes('\x1b$') || text.includes('~{');
}

/** Whether all of this is UTF-8 without control characters. A last character that is cut off does not count against it. */
export function isPlainText(head: Uint8Array): boolean {
  try {
    return countControls(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })) === 0;
  } catch {
    return false;
  }
}

/** How many characters of a text have no place in one: control characters but blanks, backspace and escape. */
function countControls(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x9f ? code >= 0xfffe : isControl(code)) count += 1;
  }
  return count;
}

function isControl(code: number): boolean {
  if (code >= 0x20) return code >= 0x7f && code !== 0x85;
  return !(code >= 0x08 && code <= 0x0d) && code !== 0x1b;
}
