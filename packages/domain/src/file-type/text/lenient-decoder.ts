import { joinBytes } from './join-bytes.ts';
import type { PieceDecoder } from './piece-decoder.ts';
import { createPieceDecoder } from './text-decoder.ts';

/** Counts of the places in a text that U+FFFD replaces, and of the lines in another encoding. */
export type FaultCounts = { replaced: number; otherLines: number };

export type LenientDecoder = {
  decode(chunk?: Uint8Array, options?: { stream?: boolean }): string;
  /** So far. */
  faults(): FaultCounts;
};

export type LenientOptions = {
  /** Label of the encoding of the lines that are not in UTF-8. */
  linesAs?: string | undefined;
};

/**
 * Decodes text of which some bytes are none: it replaces them or decodes their lines as another encoding, and counts both. Zeros count as no text. The labels
 * must be known.
 */
export function createLenientDecoder(encoding: string, { linesAs }: LenientOptions = {}): LenientDecoder {
  const faults = { replaced: 0, otherLines: 0 };
  const decode = encoding === 'utf-8' ? createUtf8Lines(faults, linesAs) : createWhole(encoding, faults);
  let endsInZero = false;
  return {
    decode(chunk = nothing, { stream = false } = {}) {
      const text = decode(chunk, stream);
      const begun = endsInZero ? (/^\0*/.exec(text)?.[0].length ?? 0) : 0;
      if (text !== '') endsInZero = text.endsWith('\0');
      return replaceZeros(text.slice(begun), faults);
    },
    faults: () => ({ ...faults }),
  };
}

const nothing = new Uint8Array(0);
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const loose = new TextDecoder('utf-8', { ignoreBOM: true });

function createWhole(encoding: string, faults: FaultCounts) {
  const decoder = createPieceDecoder(encoding, 'replace');
  return (chunk: Uint8Array, stream: boolean): string => {
    const text = decoder.decode(chunk, { stream });
    faults.replaced += count(text, '\ufffd');
    return text;
  };
}

/** Longer lines are decoded in pieces. */
const mostLineBytes = 64 * 1024;

function createUtf8Lines(faults: FaultCounts, linesAs: string | undefined) {
  let rest: Uint8Array = nothing;
  let isStart = true;
  return (chunk: Uint8Array, stream: boolean): string => {
    const bytes = joinBytes(rest, chunk);
    const end = stream ? endOfLines(bytes) : bytes.length;
    // A copy: the caller may overwrite its bytes, and `slice` of a Buffer is none.
    rest = new Uint8Array(bytes.subarray(end));
    const text = decodeLines(bytes.subarray(0, end), { faults, linesAs });
    const hasMark = isStart && text.startsWith('\ufeff');
    if (end > 0) isStart = false;
    return hasMark ? text.slice(1) : text;
  };
}

type Lines = { faults: FaultCounts; linesAs: string | undefined };

function decodeLines(bytes: Uint8Array, lines: Lines): string {
  const whole = tryDecode(strict, bytes);
  if (whole !== undefined) return whole;
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start) + 1 || bytes.length;
    const line = bytes.subarray(start, end);
    text += tryDecode(strict, line) ?? decodeBroken(line, lines);
    start = end;
  }
  return text;
}

function decodeBroken(line: Uint8Array, { faults, linesAs }: Lines): string {
  const text = loose.decode(line);
  const other = linesAs === undefined || readsAsUtf8(line, text) ? undefined : decodeAs(line, linesAs);
  if (other !== undefined) {
    faults.otherLines += 1;
    return other;
  }
  faults.replaced += count(text, '\ufffd') - countReplacements(line);
  return text;
}

/** Whether a line is in UTF-8; `text` is what it says, loosely decoded. In other encodings some pairs of bytes happen to be right. */
export function readsAsUtf8(line: Uint8Array, text: string): boolean {
  const own = countReplacements(line);
  const wrong = count(text, '\ufffd') - own;
  const right = (text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0) + own;
  return right > leastRightPerWrong * wrong;
}

const leastRightPerWrong = 4;

function decodeAs(line: Uint8Array, encoding: string): string | undefined {
  try {
    return createPieceDecoder(encoding).decode(line);
  } catch {
    return undefined;
  }
}

function tryDecode(decoder: PieceDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const newline = 0x0a;

function endOfLines(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(newline) + 1;
  if (end > 0 || bytes.length < mostLineBytes) return end;
  // Not within a character.
  let cut = bytes.length;
  while (cut > bytes.length - 4 && ((bytes[cut - 1] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return (bytes[cut - 1] ?? 0) >= 0xc0 ? cut - 1 : bytes.length;
}

// The character itself, which a text may hold, is no fault.
function countReplacements(line: Uint8Array): number {
  let found = 0;
  for (let at = line.indexOf(0xef); at !== -1; at = line.indexOf(0xef, at + 1)) {
    if (line[at + 1] === 0xbf && line[at + 2] === 0xbd) found += 1;
  }
  return found;
}

function replaceZeros(text: string, faults: FaultCounts): string {
  if (!text.includes('\0')) return text;
  return text.replaceAll(/\0+/g, () => {
    faults.replaced += 1;
    return '\ufffd';
  });
}

function count(text: string, char: string): number {
  let found = 0;
  for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) found += 1;
  return found;
}
