import type { SpelledText } from '../content-types.ts';
import { createPieceDigest } from '../string/piece-digest.ts';
import type { StringTaker } from '../string/read-string.ts';
import { createFrameFinder } from './frame-finder.ts';

export type ReadText = {
  readonly key: string;
  readonly whole: SpelledText | undefined;
  readonly framed: readonly SpelledText[];
  /** Whether it begins as an errand's does. */
  readonly isErrand: boolean;
};

export type TextDigest = StringTaker & { end(): ReadText };

const nothing = Buffer.alloc(0);

/** Reads a text that comes in pieces, and the framed texts in it. `errands` are spelled beginnings that mark a text as an errand's. */
export function createTextDigest(errands: readonly string[]): TextDigest {
  const whole = createPieceDigest();
  const frames = createFrameFinder();
  const openingBytes = errands.reduce((longest, { length }) => Math.max(longest, length), 0);
  let opening = '';
  let ended: SpelledText | undefined;
  return {
    startLine: frames.startLine,
    take(piece, isLast) {
      if (opening.length < openingBytes) opening += piece.toString('latin1', 0, openingBytes - opening.length);
      frames.take(piece);
      if (isLast) ended = whole.end(piece);
      else whole.add(piece);
    },
    end() {
      const isErrand = errands.some((errand) => opening.startsWith(errand));
      const spelled = ended ?? whole.end(nothing);
      return { key: spelled.sha256, whole: spelled, framed: frames.end(), isErrand };
    },
  };
}
