import { BACKSLASH } from '../../json/json-bytes.ts';
import { lineHeads } from '../../json/line-heads.ts';
import type { SpelledText } from '../content-types.ts';
import { createPieceDigest, type PieceDigest } from '../string/piece-digest.ts';

/** More are not looked for in one text. */
const MAX_FRAMES = 64;
const FEED_BYTES = 2;
const LETTER_N = 0x6e;

type Frame = { readonly kind: number; readonly digest: PieceDigest; hasBegun: boolean };
/** A line that may be one of a frame, with the line feed before it where there is one. */
type Line = { readonly pieces: Buffer[]; readonly feedBytes: number; sizeBytes: number };

/** Finds the framed texts in a text that comes in pieces, spelled as in JSON, and hashes the text between their lines. */
export function createFrameFinder() {
  const frames = createFrames();
  let line: Line | undefined;
  let isAtStart = true;

  const startLine = (feedBytes: number): void => {
    endLine();
    line = { pieces: [], feedBytes, sizeBytes: 0 };
  };

  function endLine(): void {
    if (line === undefined) return;
    const { pieces, feedBytes } = line;
    line = undefined;
    const bytes = Buffer.concat(pieces);
    const text = bytes.toString('latin1', feedBytes);
    if (!frames.takeLine(text)) frames.add(bytes);
  }

  /** Takes what belongs to the line, and returns the rest. */
  function takeLine(current: Line, piece: Buffer): Buffer {
    const feed = findFeed(piece, current.sizeBytes < current.feedBytes ? FEED_BYTES : 0);
    const own = feed === -1 ? piece : piece.subarray(0, feed);
    current.sizeBytes += own.length;
    current.pieces.push(Buffer.from(own.subarray(0, MAX_LINE_BYTES + 1)));
    if (current.sizeBytes > MAX_LINE_BYTES) return giveLineUp(current, piece);
    if (feed !== -1) endLine();
    return piece.subarray(own.length);
  }

  function giveLineUp({ pieces }: Line, piece: Buffer): Buffer {
    line = undefined;
    for (const earlier of pieces.slice(0, -1)) frames.add(earlier);
    return piece;
  }

  return {
    startLine: () => startLine(FEED_BYTES),
    take(piece: Buffer): void {
      if (piece.length === 0) return;
      if (isAtStart && lineHeads.includes(piece[0] ?? 0)) startLine(0);
      isAtStart = false;
      frames.add(line === undefined ? piece : takeLine(line, piece));
    },
    end(): readonly SpelledText[] {
      endLine();
      return frames.end();
    },
  };
}

/** The frames of a text; at most one of them is open. */
function createFrames() {
  const framed: SpelledText[] = [];
  let frame: Frame | undefined;

  function close(): void {
    if (frame !== undefined) framed.push(frame.digest.end(Buffer.alloc(0)));
    frame = undefined;
  }

  return {
    add(piece: Buffer): void {
      if (frame === undefined || piece.length === 0) return;
      // The line feed behind the first line is the frame's.
      frame.digest.add(frame.hasBegun ? piece : piece.subarray(FEED_BYTES));
      frame.hasBegun = true;
    },
    /** Whether a line opens a frame or closes the one that is open. */
    takeLine(line: string): boolean {
      const opened = findOpening(line);
      const isLast = frame !== undefined && isClosing(frame.kind, line);
      if (!isLast && (opened === undefined || framed.length === MAX_FRAMES)) return false;
      close();
      if (!isLast && opened !== undefined) frame = { kind: opened, digest: createPieceDigest(), hasBegun: false };
      return true;
    },
    end(): readonly SpelledText[] {
      close();
      return framed;
    },
  };
}

/** Finds the next spelled line feed. */
function findFeed(piece: Buffer, from: number): number {
  for (let at = from; at < piece.length; at += 1) {
    if (piece[at] !== BACKSLASH) continue;
    if (piece[at + 1] === LETTER_N) return at;
    at += 1;
  }
  return -1;
}

// The lines before and behind the text of an attachment, as JSON spells them. The projections write the first of them (`writeTextFile`) and no
// last one. Programs write both around a resource that they are handed, or a first one alone.

type FrameLines = { readonly opens: RegExp; readonly closes: RegExp | undefined };

const framedBy: readonly FrameLines[] = [
  { opens: /^File \\".*\\" \([^()"\\]+\):$/, closes: undefined },
  { opens: /^\[attachment:[^"\]\\]+\]$/, closes: undefined },
  { opens: /^<context ref=\\"attachment:[^"\\]+\\">$/, closes: /^<\/context>$/ },
];

/** No line of a frame is longer: a name has at most 255 bytes, and twelve spell each of them at most. */
const MAX_LINE_BYTES = 4_096;

/** Which frame a line opens. */
function findOpening(line: string): number | undefined {
  const index = framedBy.findIndex(({ opens }) => opens.test(line));
  return index === -1 ? undefined : index;
}

const isClosing = (frame: number, line: string): boolean => framedBy[frame]?.closes?.test(line) === true;
