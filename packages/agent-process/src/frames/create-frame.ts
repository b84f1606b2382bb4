import { randomUUID } from 'node:crypto';

/** A file as it should be when its frame is written. */
export type FileContent = {
  path: string;
  sizeBytes: number;
  /** The path for the other side, if it differs. */
  shownPath?: string;
};

/** Bytes that a frame holds as base64: a file's, or bytes in memory. */
export type EmbeddedBytes = FileContent | { bytes: Buffer; sizeBytes: number };

export type FramePiece = { type: 'text'; text: string } | { type: 'embedded'; content: EmbeddedBytes };

/** One line of a protocol, ready to be written. Holds no base64. */
export type Frame = {
  readonly pieces: readonly FramePiece[];
  /** Files that the other side will open by the paths in it. */
  readonly named: readonly FileContent[];
};

type Embed = (content: EmbeddedBytes) => string;
type NameFile = (content: EmbeddedBytes) => string;

/**
 * A frame of the JSON value that `build` returns. Inside, `embed(content)` gives the string that takes the place of the base64:
 * `createFrame((embed) => ({ data: embed({ path, sizeBytes }) }))`; `nameFile(content)` gives the path of a file that is to be there.
 */
export function createFrame(build: (embed: Embed, nameFile: NameFile) => unknown): Frame {
  // It cannot be guessed, so no text in the message can pass for bytes.
  const mark = randomUUID();
  const embedded: EmbeddedBytes[] = [];
  const named: FileContent[] = [];
  const embed: Embed = (content) => `${mark}:${embedded.push(content) - 1}:`;
  const nameFile: NameFile = (content) => {
    if (!('path' in content)) throw new Error('this runtime takes files by their path');
    named.push(content);
    return content.shownPath ?? content.path;
  };
  const parts = JSON.stringify(build(embed, nameFile)).split(new RegExp(`${mark}:(\\d+):`));
  const pieces = parts.flatMap((part, index) => pieceOf(part, index, embedded));
  return { pieces: [...pieces, { type: 'text', text: '\n' }], named };
}

/** Splitting by a pattern with one group gives texts at even places and the groups at odd ones. */
function pieceOf(part: string, index: number, embedded: readonly EmbeddedBytes[]): FramePiece[] {
  if (index % 2 === 0) return part === '' ? [] : [{ type: 'text', text: part }];
  const content = embedded[Number(part)];
  return content === undefined ? [] : [{ type: 'embedded', content }];
}

/** Exact size of a frame on the wire, its newline included. */
export function measureFrame(frame: Frame): number {
  return frame.pieces.reduce((sum, piece) => sum + measurePiece(piece), 0);
}

function measurePiece(piece: FramePiece): number {
  return piece.type === 'text' ? Buffer.byteLength(piece.text) : 4 * Math.ceil(piece.content.sizeBytes / 3);
}
