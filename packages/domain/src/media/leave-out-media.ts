import { createMediaStrip, type MediaPiece } from './strip-media.ts';

/** A text as it passes, with a few words in the place of each file that stands in it as base64 or as a data URL. */
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

// In base64, as their first bytes; the names that stand before them.
const hints = ['base64', 'data:image/', '"image/', 'iVBORw0KGgo', '/9j/4', 'R0lGOD', 'UklGR', 'JVBERi0'];
const longestHint = 11;

/** Looks for words by which a text that holds files betrays itself, in text as it passes. It misses files of rare types that nothing announces. */
export function createMediaHint(): { push(text: string): void; isFound(): boolean } {
  let tail = '';
  let isFound = false;
  return {
    push(text) {
      if (isFound) return;
      const joint = tail + text.slice(0, longestHint);
      isFound = hints.some((hint) => text.includes(hint) || joint.includes(hint));
      tail = text.slice(-longestHint);
    },
    isFound: () => isFound,
  };
}
