import { readMpegFrame } from './mpeg-audio.ts';

/**
 * How far a file's own structure has been read, and what it wants next: `read` hands so many bytes to it, `skip` passes over them, `until`
 * passes over all up to and with a byte. Where `mayEnd`, the file may be over as well. Returns `done` at the end of the file, or `lost` where
 * the structure says nothing any more.
 */
export type MediaWalk = Generator<Step, 'done' | 'lost', Uint8Array>;
export type Step = (
  | { want: 'read' | 'skip'; bytes: number; mayEnd?: boolean }
  | { want: 'until'; byte: number; mayEnd?: boolean }
) & {
  /** Whether the file is, or may be, over behind these few bytes; `left` are as many as the step still wants. */
  endOf?: (last: Uint8Array, left: number) => WalkEnd;
  /** At a place where the file may end: whether it continues with these bytes, or something else begins. Undefined if they are too few. */
  goesOnWith?: (head: Uint8Array) => boolean | undefined;
};
export type WalkEnd = 'open' | 'done' | 'unknown';

type Options = Pick<Step, 'mayEnd' | 'endOf' | 'goesOnWith'>;
const read = (bytes: number, options: Options = {}): Step => ({ want: 'read', bytes, ...options });
const skip = (bytes: number, options: Options = {}): Step => ({ want: 'skip', bytes, ...options });

const endsWith = (end: WalkEnd): Options => ({ endOf: ({ length }, left) => (length === left ? end : 'open') });
const isDone = endsWith('done');
const isBorder = endsWith('unknown');
/** A file ends with these bytes, of which the last ones may be missing. */
const isDoneBy = (...last: number[]): Options => ({
  endOf: (bytes) => {
    const rest = last.slice(-bytes.length);
    return rest.length === bytes.length && rest.every((byte, index) => bytes[index] === byte) ? 'done' : 'open';
  },
});

const bigEndian = (bytes: Uint8Array, at: number, length = 4): number => {
  let value = 0;
  for (let index = at; index < at + length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
};
const littleEndian = (bytes: Uint8Array, at: number, length = 4): number =>
  bigEndian(bytes.slice(at, at + length).reverse(), 0, length);
/** The four characters of a type or of a mark. */
const textAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

function* walkPng(): MediaWalk {
  yield skip(8);
  for (;;) {
    const head = yield read(8);
    const type = textAt(head, 4);
    if (!/^[A-Za-z]{4}$/.test(type)) return 'lost';
    yield skip(bigEndian(head, 0) + 4, type === 'IEND' ? isDone : {});
    if (type === 'IEND') return 'done';
  }
}

function* walkJpeg(): MediaWalk {
  yield skip(2);
  const endOfImage = isDoneBy(0xff, 0xd9);
  for (let marker = bigEndian(yield read(2), 0, 2); ; ) {
    if (marker === 0xffd9) return 'done';
    if (marker < 0xffc0 || marker === 0xffff) return 'lost';
    const isAlone = marker >= 0xffd0 && marker <= 0xffd8;
    if (!isAlone) yield skip(Math.max(0, bigEndian(yield read(2), 0, 2) - 2));
    if (marker !== 0xffda) {
      marker = bigEndian(yield read(2, endOfImage), 0, 2);
      continue;
    }
    // Coded data holds no markers except restarts: a zero follows each byte of ones.
    let next = 0;
    while (next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)) {
      if (next !== 0xff) yield { want: 'until', byte: 0xff, ...endOfImage };
      next = (yield read(1, endOfImage))[0] ?? 0;
    }
    marker = 0xff00 + next;
  }
}

function* walkGif(): MediaWalk {
  const head = yield read(13);
  const flags = head[10] ?? 0;
  if (flags & 0x80) yield skip(3 * 2 ** ((flags & 7) + 1));
  for (;;) {
    const [kind] = yield read(1, isDoneBy(0x3b));
    if (kind === 0x3b) return 'done';
    if (kind === 0x21) yield skip(1);
    else if (kind === 0x2c) {
      const local = (yield read(9))[8] ?? 0;
      if (local & 0x80) yield skip(3 * 2 ** ((local & 7) + 1));
      yield skip(1);
    } else return 'lost';
    const trailer = isDoneBy(0, 0x3b);
    for (let length = (yield read(1))[0] ?? 0; length > 0; length = (yield read(1, trailer))[0] ?? 0)
      yield skip(length);
  }
}

const isFilledUp: Options = {
  endOf: ({ length }, left) => (length === left ? 'unknown' : length === left + 1 ? 'done' : 'open'),
};

const isFiller = ([first]: Uint8Array): boolean | undefined => (first === undefined ? undefined : first === 0);

/** RIFF and FORM say their length; an odd one is filled up, but by no means always. */
function* walkForm(isBig: boolean): MediaWalk {
  const head = yield read(8);
  const length = isBig ? bigEndian(head, 4) : littleEndian(head, 4);
  yield skip(length, length % 2 === 1 ? isFilledUp : isDone);
  if (length % 2 === 1) yield skip(1, { mayEnd: true, ...isDone, goesOnWith: isFiller });
  return 'done';
}

/** A line of text cannot carry a box of more than 32 MB. */
const isBox = (head: Uint8Array): boolean | undefined => {
  if ((head[0] ?? 0) > 1) return false;
  return head.length < 8 ? undefined : /^(?!ftyp)[ -~\xa9]{4}$/.test(textAt(head, 4));
};
/** The first page of another stream is another file. */
const isOggPage = (head: Uint8Array): boolean | undefined => {
  if (!'OggS'.startsWith(textAt(head, 0))) return false;
  return head.length < 6 ? undefined : ((head[5] ?? 0) & 2) === 0;
};
const isFrame = (head: Uint8Array): boolean | undefined => {
  if (head[0] !== 0xff) return false;
  return head.length < 7 ? undefined : readMpegFrame(head) !== undefined;
};

function* walkBoxes(): MediaWalk {
  for (let mayEnd = false; ; mayEnd = true) {
    const head = yield read(8, { mayEnd, goesOnWith: isBox });
    const size = bigEndian(head, 0);
    if (!/^[ -~\xa9]{4}$/.test(textAt(head, 4)) || size === 0 || (size > 1 && size < 8)) return 'lost';
    if (size === 1) yield skip(Math.max(0, bigEndian(yield read(8), 0, 8) - 16), isBorder);
    else yield skip(size - 8, isBorder);
  }
}

function* walkOgg(): MediaWalk {
  for (let mayEnd = false; ; ) {
    const page: Uint8Array = yield read(27, { mayEnd, goesOnWith: isOggPage });
    if (textAt(page, 0) !== 'OggS') return 'lost';
    const lengths = yield read(page[26] ?? 0);
    mayEnd = ((page[5] ?? 0) & 4) !== 0;
    const size = lengths.reduce((sum, each) => sum + each, 0);
    yield skip(size, mayEnd ? isBorder : {});
  }
}

/** A number of EBML, whose first byte says how long it is; undefined where it says that the length is unknown. */
function* readEbmlSize(): Generator<Step, number | undefined, Uint8Array> {
  const [first = 0] = yield read(1);
  const length = Math.clz32(first) - 23;
  if (length > 8) return undefined;
  const value = first & (2 ** (8 - length) - 1);
  const rest = length === 1 ? [] : [...(yield read(length - 1))];
  const isUnknown = value === 2 ** (8 - length) - 1 && rest.every((byte) => byte === 0xff);
  return isUnknown ? undefined : rest.reduce((sum, byte) => sum * 256 + byte, value);
}

/** WebM and Matroska: a head, and one segment. */
function* walkMatroska(): MediaWalk {
  yield skip(4);
  const head = yield* readEbmlSize();
  if (head === undefined) return 'lost';
  yield skip(head);
  if (bigEndian(yield read(4), 0) !== 0x18538067) return 'lost';
  const segment = yield* readEbmlSize();
  if (segment === undefined) return 'lost';
  yield skip(segment, isDone);
  return 'done';
}

function* walkBitmap(): MediaWalk {
  const size = littleEndian(yield read(6), 2);
  if (size < 26) return 'lost';
  yield skip(size - 6, isDone);
  return 'done';
}

function* walkFrames(): MediaWalk {
  for (let mayEnd = false; ; mayEnd = true) {
    const header = yield read(7, { mayEnd, goesOnWith: isFrame });
    const frame = readMpegFrame(header);
    if (frame === undefined) return 'lost';
    yield skip(frame.sizeBytes - 7, isBorder);
  }
}

function* walkTagged(): MediaWalk {
  const [a = 0, b = 0, c = 0, d = 0] = (yield read(10)).subarray(6);
  yield skip(a * 2 ** 21 + b * 2 ** 14 + c * 2 ** 7 + d);
  return yield* walkFrames();
}

/** Local headers that say their length; where one does not, its data continues to a directory that nothing announces. */
function* walkZip(): MediaWalk {
  for (;;) {
    const signature = littleEndian(yield read(4), 0);
    if (signature === 0x04034b50) {
      const head = yield read(26);
      if ((head[2] ?? 0) & 8) return 'lost';
      yield skip(littleEndian(head, 14) + littleEndian(head, 22, 2) + littleEndian(head, 24, 2));
    } else if (signature === 0x02014b50) {
      const head = yield read(42);
      yield skip(littleEndian(head, 24, 2) + littleEndian(head, 26, 2) + littleEndian(head, 28, 2));
    } else if (signature === 0x06054b50) {
      yield skip(littleEndian(yield read(18, isBorder), 16, 2), isDone);
      return 'done';
    } else return 'lost';
  }
}

const walks: Record<string, () => MediaWalk> = {
  'image/png': walkPng,
  'image/jpeg': walkJpeg,
  'image/gif': walkGif,
  'image/webp': () => walkForm(false),
  'audio/wav': () => walkForm(false),
  'audio/aiff': () => walkForm(true),
  'image/bmp': walkBitmap,
  'video/webm': walkMatroska,
  'video/x-matroska': walkMatroska,
  'audio/ogg': walkOgg,
  'video/ogg': walkOgg,
  'application/zip': walkZip,
  'application/epub+zip': walkZip,
};

/** The walk through a file of this type that begins with these bytes; undefined if its structure does not show its end. */
export function walkMedia(mimeType: string, head: Uint8Array): MediaWalk | undefined {
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') return head[0] === 0xff ? walkFrames() : walkTagged();
  const isBoxed = /^(?:image\/(?:avif|hei[cf])|audio\/mp4|video\/(?:mp4|3gpp|quicktime))$/.test(mimeType);
  return isBoxed ? walkBoxes() : walks[mimeType]?.();
}
