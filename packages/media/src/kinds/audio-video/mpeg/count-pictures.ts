const startCode = Buffer.from([0, 0, 1]);
const pictureCode = 0x00;
const lastSliceCode = 0xaf;
const sequenceCode = 0xb3;
const extensionCode = 0xb5;
// The start of a sequence or a group, and the end of a sequence: the picture before it is whole.
const endingCodes = [sequenceCode, 0xb8, 0xb7];
// A start code and as much of what it begins as is read.
const headBytes = 11;

const ratesPerSecond = [0, 24000 / 1001, 24, 25, 30000 / 1001, 30, 50, 60000 / 1001, 60];

type Sequence = { width: number; height: number; picturesPerSecond: number };

/** Pictures in a stream of video. */
export type CountedPictures = { codec: string; width: number; height: number; seconds: number };

export type PictureCounter = {
  /** The next bytes of the stream. They are not kept. */
  push(bytes: Buffer): void;
  /** After the last of them. `isWhole`: the stream ends where its last picture does. Undefined if there is no whole picture. */
  end(isWhole: boolean): CountedPictures | undefined;
};

/** Counts the pictures of MPEG-1 or MPEG-2 video in a stream that comes in pieces, which may be cut anywhere. */
export function createPictureCounter(): PictureCounter {
  const found: Found = { isSecond: false, fields: 0, isEnded: false, begunAt: undefined, row: 0, lastRow: 0 };
  let left: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
      const joined = Buffer.concat([left, bytes]);
      const readyBytes = Math.max(0, joined.length - headBytes + 1);
      countFields(found, joined, readyBytes);
      left = joined.subarray(readyBytes);
    },
    end(isWhole) {
      countFields(found, left, left.length);
      return describe(found, isWhole);
    },
  };
}

/** `begunAt`: the fields before the picture that has not ended. `row`: that of its slice so far; `lastRow`: that in which pictures end. */
type Found = {
  sequence?: Sequence | undefined;
  isSecond: boolean;
  fields: number;
  isEnded: boolean;
  begunAt: number | undefined;
  row: number;
  lastRow: number;
};

/** Counts the start codes that begin before `end`. */
function countFields(found: Found, bytes: Buffer, end: number): void {
  for (let at = bytes.indexOf(startCode); at >= 0 && at < end; at = bytes.indexOf(startCode, at + 3)) {
    countStart(found, bytes.subarray(at + 3, at + headBytes));
  }
}

// A picture is two fields; its extension says where it is only one.
function countStart(found: Found, head: Buffer): void {
  const code = head[0];
  if (code === sequenceCode) found.sequence ??= readSequence(head);
  if (found.sequence === undefined || code === undefined) return;
  if (code === pictureCode || endingCodes.includes(code)) endPicture(found);
  else if (code <= lastSliceCode) found.row = code;
  if (code === pictureCode && isPictureKind(head)) {
    found.begunAt = found.fields;
    found.fields += 2;
  }
  if (code !== extensionCode) return;
  const extension = (head[1] ?? 0) >> 4;
  if (extension === 1) found.isSecond = true;
  if (extension === 8 && ((head[3] ?? 0) & 3) !== 3) found.fields -= 1;
}

function endPicture(found: Found): void {
  if (found.fields > 0) found.isEnded = true;
  found.lastRow = Math.max(found.lastRow, found.row);
  found.begunAt = undefined;
  found.row = 0;
}

const isPictureKind = (head: Buffer) => [1, 2, 3].includes(((head[2] ?? 0) >> 3) & 7);

function readSequence(head: Buffer): Sequence | undefined {
  if (head.length < headBytes - startCode.length) return undefined;
  const sizes = head.readUIntBE(1, 3);
  const picturesPerSecond = ratesPerSecond[(head[4] ?? 0) & 15] ?? 0;
  const sequence = { width: sizes >> 12, height: sizes & 0xfff, picturesPerSecond };
  return sequence.width > 0 && sequence.height > 0 && picturesPerSecond > 0 ? sequence : undefined;
}

function describe(found: Found, isWhole: boolean): CountedPictures | undefined {
  const { sequence, isSecond, isEnded, begunAt, row, lastRow } = found;
  // Pictures have slices down to the last row: one that has not was cut off.
  const fields = begunAt !== undefined && row < lastRow ? begunAt : found.fields;
  if (sequence === undefined || fields === 0 || !(isEnded || isWhole)) return undefined;
  const { width, height, picturesPerSecond } = sequence;
  return { codec: isSecond ? 'mpeg2' : 'mpeg1', width, height, seconds: fields / 2 / picturesPerSecond };
}
