import { createPieceDigest } from '../string/piece-digest.ts';
import { type PictureSize, readPictureSize } from './picture-size.ts';

const SLICE_CHARACTERS = 64 * 1024;
/** The notes and the thumbnail of a photograph come before its size. */
const MAX_HEAD_BYTES = 64 * 1024;
const PADDING = '='.charCodeAt(0);
/** Characters of the other alphabet, which Node would accept too. */
const DASH = '-'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
/** White space, in a string of JSON, as it is or as it is spelled. */
const SPACE = /[ \t\r\n]|\\[nrt]/g;

/** The end of base64: no bits behind the last byte. */
const LAST_FOUR = /^(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/** Decoded bytes of a slice. They are gone with the next slice. */
const decoded = Buffer.allocUnsafeSlow((SLICE_CHARACTERS / 4) * 3 + 3);
const nothing = Buffer.alloc(0);

export type ReadMedia = Partial<PictureSize> & {
  /** Digest of the decoded bytes; if it is not readable, of those before the first fault. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Whether it was base64 that every decoder reads alike: the standard alphabet, padded, white space aside. */
  readonly isReadable: boolean;
};

/** Decodes base64 that comes in pieces and hashes it. Holds three characters and, until the size of a picture is found, the head of the file. */
export type MediaDigest = { take(piece: Buffer): void; end(): ReadMedia };

export function createMediaDigest(): MediaDigest {
  const digest = createPieceDigest();
  let rest = '';
  let padding = '';
  let isReadable = true;
  const picture = createPictureHead();

  /** Decodes all but what is left of four. What an earlier slice left goes first, so that one slice is one piece of the digest. */
  function decode(slice: Buffer): boolean {
    const first = rest === '' ? 0 : 4 - rest.length;
    const last = slice.length - ((slice.length + rest.length) % 4);
    if (last < first) {
      rest += slice.toString('latin1');
      return true;
    }
    const early = first === 0 ? 0 : decoded.write(rest + slice.toString('latin1', 0, first), 0, 'base64');
    const written = early + decoded.write(slice.toString('latin1', first, last), early, 'base64');
    if (written * 4 !== (rest.length + last) * 3) return false;
    const bytes = decoded.subarray(0, written);
    picture.take(bytes);
    digest.add(bytes);
    rest = last === slice.length ? '' : slice.toString('latin1', last);
    return true;
  }

  function takeSlice(slice: Buffer): void {
    if (slice.includes(DASH) || slice.includes(UNDERSCORE)) isReadable = false;
    if (!isReadable) return;
    const padded = countPadding(slice);
    if (padding === '' && decode(slice.subarray(0, slice.length - padded))) padding = '='.repeat(padded);
    else takeSpelled(slice);
  }

  /** Takes a slice that contains white space, or is no base64. */
  function takeSpelled(slice: Buffer): void {
    const spelled = Buffer.from((padding + slice.toString('latin1')).replaceAll(SPACE, ''), 'latin1');
    const padded = countPadding(spelled);
    padding = '='.repeat(padded);
    isReadable = decode(spelled.subarray(0, spelled.length - padded));
  }

  return {
    take(piece) {
      for (let from = 0; from < piece.length && isReadable; from += SLICE_CHARACTERS)
        takeSlice(piece.subarray(from, from + SLICE_CHARACTERS));
    },
    end() {
      const last = rest === '' ? nothing : Buffer.from(rest, 'base64');
      isReadable &&= LAST_FOUR.test(rest + padding);
      picture.take(last);
      return { ...digest.end(last), ...picture.size(), isReadable };
    },
  };
}

const countPadding = (slice: Buffer): number => (slice.at(-1) !== PADDING ? 0 : slice.at(-2) === PADDING ? 2 : 1);

/** Looks for the size of a picture in the first bytes, and holds them until it is found. */
function createPictureHead() {
  let head: Buffer | undefined = nothing;
  let size: PictureSize | undefined;
  return {
    size: () => size,
    take(bytes: Buffer): void {
      if (head === undefined) return;
      const known = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
      const read = readPictureSize(known.subarray(0, MAX_HEAD_BYTES));
      if (read !== 'more') size = read;
      head = read === 'more' && known.length < MAX_HEAD_BYTES ? Buffer.from(known) : undefined;
    },
  };
}
