import type { Base64Spelling } from './encoding/base64-encoding.ts';
import { createMediaStrip, type MediaPiece, type TakenRun } from './strip-media.ts';

/** A run that was taken out of a text, with its bytes. */
export type TakenFile = TakenRun & { bytes: Uint8Array };

/** A whole text as what stays of it and what was taken out, in order. */
export function takeOutMedia(text: string): (string | TakenFile)[] {
  const strip = createMediaStrip();
  return joinPieces([...strip.push(text), ...strip.end()]);
}

const stepLength = 64 * 1024;

/** The same, step by step, so that others have their turn during a long text: yields after each step. */
export function* takeOutInSteps(text: string): Generator<undefined, (string | TakenFile)[]> {
  const strip = createMediaStrip();
  const pieces: MediaPiece[] = [];
  for (let at = 0; at < text.length; at += stepLength) {
    pieces.push(...strip.push(text.slice(at, at + stepLength)));
    yield;
  }
  return joinPieces([...pieces, ...strip.end()]);
}

function joinPieces(pieces: readonly MediaPiece[]): (string | TakenFile)[] {
  const joined: (string | TakenFile)[] = [];
  let bytes: Uint8Array[] = [];
  for (const piece of pieces) {
    if (piece.type === 'text') joined.push(piece.text);
    else if (piece.type === 'open') bytes = [];
    else if (piece.type === 'bytes') bytes.push(piece.bytes);
    else {
      const { type, ...taken } = piece;
      joined.push({ ...taken, bytes: concat(bytes) });
    }
  }
  return joined;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * How the bytes of an attachment stood in the text, so that the text can be spelled again: `{base64}`, `{base64url unpadded}`,
 * `{base64 lines=76 break="\\n"}`; `{text}` where the attachment holds the characters themselves.
 */
export function describeSpelling(spelling: Base64Spelling | undefined): string {
  if (spelling === undefined) return '{text}';
  const { alphabet, isPadded, lineWidth, lineBreak } = spelling;
  const padding = isPadded ? '' : ' unpadded';
  const lines = lineWidth === 0 ? '' : ` lines=${lineWidth} break=${JSON.stringify(lineBreak)}`;
  return `{${alphabet}${padding}${lines}}`;
}
