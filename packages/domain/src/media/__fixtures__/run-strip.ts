import { createHash } from 'node:crypto';
import { createMediaStrip, type TakenRun } from '../strip-media.ts';

export type Stripped = {
  /** The text that stayed; each file that was taken out is `\0`. */
  text: string;
  files: (TakenRun & { bytes: Buffer })[];
};

export const PLACE = '\0';

/** Strips a text that comes in chunks. */
export function runStrip(chunks: readonly string[]): Stripped {
  const strip = createMediaStrip();
  const files: Stripped['files'] = [];
  let text = '';
  let bytes: Uint8Array[] = [];
  for (const pieces of [...chunks.map((chunk) => strip.push(chunk)), strip.end()]) {
    for (const piece of pieces) {
      if (piece.type === 'text') text += piece.text;
      else if (piece.type === 'open') bytes = [];
      else if (piece.type === 'bytes') bytes.push(piece.bytes);
      else {
        text += PLACE;
        files.push({ ...piece, bytes: Buffer.concat(bytes) });
      }
    }
  }
  return { text, files };
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
