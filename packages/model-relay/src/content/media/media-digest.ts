import { createPieceDigest } from '../string/piece-digest.ts';
import { type PictureSize, readPictureSize } from './picture-size.ts';

const SLICE_CHARACTERS = 64 * 1024;
/** A photograph's notes and thumbnail stand before its size. */
const MAX_HEAD_BYTES = 64 * 1024;
const PADDING = '='.charCodeAt(0);
/** Of the other alphabet, which Node would take too. */
const DASH = '-'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
/** White space, as it stands in a string of JSON or is spelled there. */
const SPACE = /[ \t\r\n]|\\[nrt]/g;

/** The end of base64: no bits behind the last byte. */
const LAST_FOUR = /^(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/** Decoded bytes of a slice. Nothing stays in it. */
const decoded = Buffer.allocUnsafeSlow((SLICE_CHARACTERS / 4) * 3 + 3);

export type ReadMedia = Partial<PictureSize> & {
  /** Of the decoded bytes; of those before the first fault where it is not readable. */
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

  /** Decodes all but what is left of four. */
  function decode(characters: string): boolean {
    const length = characters.length - (characters.length % 4);
    const whole = length === characters.length ? characters : characters.slice(0, length);
    const written = decoded.write(whole, 0, 'base64');
    if (written * 4 !== length * 3) return false;
    const bytes = decoded.subarray(0, written);
    picture.take(bytes);
    digest.add(bytes);
    rest = characters.slice(length);
    return true;
  }

  /** The same without a copy of the slice. Returns how many characters it took. */
  function decodePlain(slice: Buffer): number {
    const first = rest === '' ? 0 : Math.min(4 - rest.length, slice.length);
    if (first > 0 && !decode(rest + slice.toString('latin1', 0, first))) return 0;
    const last = slice.length - ((slice.length - first) % 4);
    if (last > first && !decode(slice.toString('latin1', first, last))) return first;
    rest += slice.toString('latin1', last);
    return slice.length;
  }

  function takeSlice(slice: Buffer): void {
    if (slice.includes(DASH) || slice.includes(UNDERSCORE)) isReadable = false;
    if (!isReadable) return;
    const padded = countPadding(slice);
    const taken = padding === '' ? decodePlain(slice.subarray(0, slice.length - padded)) : 0;
    if (padding === '' && taken + padded === slice.length) padding = '='.repeat(padded);
    else takeSpelled(slice.subarray(taken));
  }

  /** What has white space in it, or is no base64. */
  function takeSpelled(slice: Buffer): void {
    const characters = rest + padding + slice.toString('latin1').replaceAll(SPACE, '');
    padding = /={0,2}$/.exec(characters)?.[0] ?? '';
    isReadable = decode(characters.slice(0, characters.length - padding.length));
  }

  return {
    take(piece) {
      for (let from = 0; from < piece.length && isReadable; from += SLICE_CHARACTERS)
        takeSlice(piece.subarray(from, from + SLICE_CHARACTERS));
    },
    end() {
      const last = Buffer.from(rest, 'base64');
      isReadable &&= LAST_FOUR.test(rest + padding);
      picture.take(last);
      return { ...digest.end(last), ...picture.size(), isReadable };
    },
  };
}

const countPadding = (slice: Buffer): number => (slice.at(-1) !== PADDING ? 0 : slice.at(-2) === PADDING ? 2 : 1);

/** Looks for the size of a picture in the first bytes, and holds them until it is found. */
function createPictureHead() {
  let head: Buffer | undefined = Buffer.alloc(0);
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
