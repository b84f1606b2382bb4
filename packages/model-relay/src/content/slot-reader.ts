import type { Leaf } from './content-nodes.ts';
import type { Purpose } from './content-shapes.ts';
import { createMediaDigest } from './media/media-digest.ts';
import { createUrlDigest } from './media/url-digest.ts';
import type { StringTaker } from './string/read-string.ts';
import { createTextDigest } from './text/text-digest.ts';

/** What a string is read as. */
export type SlotReader = { readonly taker: StringTaker; end(): Leaf | Word };
/** As JSON spells it; undefined where it is longer than any that counts. */
export type Word = { readonly kind: 'word'; readonly word: string | undefined };

const MAX_WORD_BYTES = 256;

/** Reads the string in a place of this purpose; undefined where none belongs there. `sourceType` says what lies beside it, where that is known. */
export function readSlot(
  purpose: Purpose | undefined,
  sourceType: string | undefined,
  errands: readonly string[],
): SlotReader | undefined {
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
      return readText(errands);
    case 'base64':
      return readMedia(createMediaDigest());
    case 'url':
    case 'link':
    case 'file':
      return readMedia(createUrlDigest(purpose === 'file'));
    case 'data':
      if (sourceType === 'text') return readText([]);
      return sourceType === undefined ? readEither() : readMedia(createMediaDigest());
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

function readText(errands: readonly string[]): SlotReader {
  const taker = createTextDigest(errands);
  return { taker, end: () => ({ kind: 'text', read: taker.end() }) };
}

function readMedia(taker: ReturnType<typeof createUrlDigest> | ReturnType<typeof createMediaDigest>): SlotReader {
  return { taker, end: () => ({ kind: 'media', read: taker.end() }) };
}

function readEither(): SlotReader {
  const text = createTextDigest([]);
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
