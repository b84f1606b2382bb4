import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type Recording, toDurationMs } from './recording.ts';

const pictureCode = 0x00;
const sequenceCode = 0xb3;
const extensionCode = 0xb5;
// The start of a sequence or a group, and the end of a sequence or of a program: the picture before it is whole.
const endingCodes = [sequenceCode, 0xb8, 0xb7, 0xb9];

const ratesPerSecond = [0, 24000 / 1001, 24, 25, 30000 / 1001, 30, 50, 60000 / 1001, 60];

type Sequence = { width: number; height: number; picturesPerSecond: number };
type Found = { sequence?: Sequence | undefined; isSecond: boolean; fields: number; isEnded: boolean };

/** MPEG-1 and MPEG-2 video, bare or in a program stream: its pictures are counted, at the rate of its sequence. */
export function readMpegVideo(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const isStream = file.bytesAt(0, 4)[3] === 0xba;
    const { sequence, isSecond, fields, isEnded } = countFields(file);
    if (sequence === undefined || !isEnded) return undefined;
    const { width, height, picturesPerSecond } = sequence;
    return {
      container: isStream ? 'mpeg-ps' : 'mpeg-video',
      tracks: [{ kind: 'video', codec: isSecond ? 'mpeg2' : 'mpeg1', width, height }],
      durationMs: toDurationMs(fields / 2 / picturesPerSecond),
    };
  } finally {
    file.close();
  }
}

// A picture is two fields; its extension says where it is only one.
function countFields(file: RandomAccess): Found {
  const found: Found = { isSecond: false, fields: 0, isEnded: false };
  for (let at = findStartCode(file, 0); at >= 0; at = findStartCode(file, at + 3)) {
    const bytes = file.bytesAt(at + 3, 8);
    if (bytes[0] === sequenceCode) found.sequence ??= readSequence(bytes);
    if (found.sequence === undefined || bytes[0] === undefined) continue;
    if (found.fields > 0 && [pictureCode, ...endingCodes].includes(bytes[0])) found.isEnded = true;
    if (bytes[0] === pictureCode && isPictureKind(bytes)) found.fields += 2;
    if (bytes[0] !== extensionCode) continue;
    const extension = (bytes[1] ?? 0) >> 4;
    if (extension === 1) found.isSecond = true;
    if (extension === 8 && ((bytes[3] ?? 0) & 3) !== 3) found.fields -= 1;
  }
  return found;
}

const isPictureKind = (bytes: Buffer) => [1, 2, 3].includes(((bytes[2] ?? 0) >> 3) & 7);

function findStartCode(file: RandomAccess, from: number): number {
  for (let at = file.findByte(1, from + 2); at >= 0; at = file.findByte(1, at + 1)) {
    if (file.byteAt(at - 1) === 0 && file.byteAt(at - 2) === 0) return at - 2;
  }
  return -1;
}

function readSequence(bytes: Buffer): Sequence | undefined {
  if (bytes.length < 8) return undefined;
  const sizes = bytes.readUIntBE(1, 3);
  const picturesPerSecond = ratesPerSecond[(bytes[4] ?? 0) & 15] ?? 0;
  const sequence = { width: sizes >> 12, height: sizes & 0xfff, picturesPerSecond };
  return sequence.width > 0 && sequence.height > 0 && picturesPerSecond > 0 ? sequence : undefined;
}
