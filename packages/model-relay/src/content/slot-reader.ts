import type { Leaf } from './content-nodes.ts';
import type { Purpose } from './content-shapes.ts';
import { createMediaDigest } from './media/media-digest.ts';
import { createUrlDigest } from './media/url-digest.ts';
import { createPieceKey, type PieceKey } from './string/piece-digest.ts';
import type { StringTaker } from './string/read-string.ts';
import { createTextDigest } from './text/text-digest.ts';

/** The reader of a string, and its result. */
export type SlotReader = { readonly taker: StringTaker | PieceKey; end(): Leaf | Word };
/** As JSON spells it; undefined where it is longer than any that counts. */
export type Word = { readonly kind: 'word'; readonly word: string | undefined };

const MAX_WORD_BYTES = 256;

export type SlotOptions = {
  /** The type next to it, if that is known. */
  readonly sourceType: string | undefined;
  readonly errands: readonly string[];
  /** Whether a text may be an attachment's, so that its digest is wanted. */
  readonly isWhole: boolean;
};

/** Reads the string in a place of this purpose; undefined where none belongs there. */
export function readSlot(purpose: Purpose | undefined, options: SlotOptions): SlotReader | undefined {
  const { sourceType } = options;
  switch (purpose) {
    case 'type':
    case 'role':
    case 'media-type':
    case 'format':
      return readWord();
    case 'text':
    case 'items':
    case 'parts':
    case 'inner-parts':
      return readText(options);
    case 'base64':
      return readMedia(createMediaDigest());
    case 'url':
    case 'link':
    case 'file':
      return readMedia(createUrlDigest(purpose === 'file'));
    case 'data':
      if (sourceType === 'text') return readText(options);
      return sourceType === undefined ? readEither(options) : readMedia(createMediaDigest());
    default:
      return undefined;
  }
}

export function readWord(): SlotReader {
  let word = '';
  return {
    taker: {
      take(piece) {
        if (word.length <= MAX_WORD_BYTES) word += piece.toString('latin1', 0, MAX_WORD_BYTES + 1);
      },
    },
    end: () => ({ kind: 'word', word: word.length > MAX_WORD_BYTES ? undefined : word }),
  };
}

function readText(options: SlotOptions): SlotReader {
  if (!options.isWhole) return skimText();
  const taker = createTextDigest(options.errands);
  return { taker, end: () => ({ kind: 'text', read: taker.end() }) };
}

/** Most of a long conversation is none of the user's: a digest of all of it would cost more than to parse it. */
function skimText(): SlotReader {
  const taker = createPieceKey();
  const end = (): Leaf => ({ kind: 'text', read: { key: taker.end(), whole: undefined, framed: [], isErrand: false } });
  return { taker, end };
}

function readMedia(taker: ReturnType<typeof createUrlDigest> | ReturnType<typeof createMediaDigest>): SlotReader {
  return { taker, end: () => ({ kind: 'media', read: taker.end() }) };
}

function readEither(options: SlotOptions): SlotReader {
  const text = createTextDigest(options.errands);
  const media = createMediaDigest();
  const taker: StringTaker = {
    ...text,
    take(piece, isLast) {
      text.take(piece, isLast);
      media.take(piece);
    },
  };
  return { taker, end: () => ({ kind: 'either', text: text.end(), media: media.end() }) };
}
