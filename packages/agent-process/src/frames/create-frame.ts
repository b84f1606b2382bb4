import { randomUUID } from 'node:crypto';

/** Bytes that stand in a frame as base64: a file's, or such as are in memory. */
export type EmbeddedBytes = { sizeBytes: number } & ({ bytes: Buffer } | { path: string });

export type FramePiece = { type: 'text'; text: string } | { type: 'embedded'; content: EmbeddedBytes };

/** One line of a protocol, ready to be written. Holds no base64. */
export type Frame = { readonly pieces: readonly FramePiece[] };

/**
 * A frame of the JSON value that `build` returns. Inside, `embed(content)` gives the string that stands for the base64:
 * `createFrame((embed) => ({ data: embed({ path, sizeBytes }) }))`.
 */
export function createFrame(build: (embed: (content: EmbeddedBytes) => string) => unknown): Frame {
  // Not to be guessed, so that no text in the message can stand for bytes.
  const mark = randomUUID();
  const embedded: EmbeddedBytes[] = [];
  const embed = (content: EmbeddedBytes) => `${mark}:${embedded.push(content) - 1}:`;
  const parts = JSON.stringify(build(embed)).split(new RegExp(`${mark}:(\\d+):`));
  return { pieces: [...parts.flatMap((part, index) => pieceOf(part, index, embedded)), { type: 'text', text: '\n' }] };
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
