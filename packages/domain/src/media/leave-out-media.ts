import { createMediaStrip, type MediaPiece } from './strip-media.ts';

/** A text as it passes, with a few words in the place of each file within it, as base64 or as a data URL. */
export type MediaOmission = {
  push(text: string): string;
  end(): string;
  /** How many files so far. */
  count(): number;
};

export function createMediaOmission(): MediaOmission {
  const strip = createMediaStrip();
  let sizeBytes = 0;
  let files = 0;

  function read(piece: MediaPiece): string {
    if (piece.type === 'text') return piece.text;
    if (piece.type === 'bytes') sizeBytes += piece.bytes.length;
    if (piece.type !== 'close') return '';
    files += 1;
    const words = `[${piece.mimeType ?? 'base64'} of ${sizeBytes} bytes, left out]`;
    sizeBytes = 0;
    return words;
  }

  const readAll = (pieces: readonly MediaPiece[]): string => pieces.map(read).join('');
  return { push: (text) => readAll(strip.push(text)), end: () => readAll(strip.end()), count: () => files };
}
