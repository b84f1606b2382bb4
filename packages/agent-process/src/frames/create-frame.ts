import { randomUUID } from 'node:crypto';

/** A file whose bytes stand in a frame as base64. */
export type EmbeddedFile = { path: string; sizeBytes: number };

export type FramePiece = { type: 'text'; text: string } | ({ type: 'file' } & EmbeddedFile);

/** One line of a protocol, ready to be written. Holds paths in place of the files' bytes. */
export type Frame = { readonly pieces: readonly FramePiece[] };

/**
 * A frame of the JSON value that `build` returns. Inside, `embed(file)` gives the string that stands for a file's base64:
 * `createFrame((embed) => ({ data: embed({ path, sizeBytes }) }))`.
 */
export function createFrame(build: (embed: (file: EmbeddedFile) => string) => unknown): Frame {
  // Not to be guessed, so that no text in the message can stand for a file.
  const mark = randomUUID();
  const files: EmbeddedFile[] = [];
  const embed = (file: EmbeddedFile) => `${mark}:${files.push(file) - 1}:`;
  const parts = JSON.stringify(build(embed)).split(new RegExp(`${mark}:(\\d+):`));
  return { pieces: [...parts.flatMap((part, index) => pieceOf(part, index, files)), { type: 'text', text: '\n' }] };
}

/** Splitting by a pattern with one group gives texts at even places and the groups at odd ones. */
function pieceOf(part: string, index: number, files: readonly EmbeddedFile[]): FramePiece[] {
  if (index % 2 === 0) return part === '' ? [] : [{ type: 'text', text: part }];
  const file = files[Number(part)];
  return file === undefined ? [] : [{ type: 'file', ...file }];
}

/** Exact size of a frame on the wire, its newline included. */
export function measureFrame(frame: Frame): number {
  return frame.pieces.reduce((sum, piece) => sum + measurePiece(piece), 0);
}

function measurePiece(piece: FramePiece): number {
  return piece.type === 'text' ? Buffer.byteLength(piece.text) : 4 * Math.ceil(piece.sizeBytes / 3);
}
