/** The header of a frame of MPEG audio: the frame's length, and the properties that all frames of one file share. */
export type MpegFrame = { sizeBytes: number; mimeType: string };

const kilobits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [44_100, 48_000, 32_000];

/** Reads a header of at least seven bytes; undefined where it is none. Layer III and ADTS; a free bit rate is not read. */
export function readMpegFrame(header: ArrayLike<number>): MpegFrame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = Array.from(header);
  if (first !== 0xff) return undefined;
  if ((second & 0xf6) === 0xf0) {
    const sizeBytes = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    return sizeBytes >= 7 && (third >> 2) % 16 < 13 ? { sizeBytes, mimeType: 'audio/aac' } : undefined;
  }
  const version = (second >> 3) & 3;
  if ((second & 0xe6) !== 0xe2 || version === 1) return undefined;
  const isVersion1 = version === 3;
  const kilobits = (isVersion1 ? kilobits1 : kilobits2)[third >> 4] ?? 0;
  const sampleRate = (sampleRates[(third >> 2) & 3] ?? 0) / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  if (kilobits === 0 || sampleRate === 0) return undefined;
  const sizeBytes = Math.floor(((isVersion1 ? 144 : 72) * kilobits * 1000) / sampleRate) + ((third >> 1) & 1);
  return { sizeBytes, mimeType: 'audio/mpeg' };
}

const HEADER_BYTES = 7;

/** One header is eleven bits that many texts decode to; a second one where the first says that it is, is none by chance. */
export function judgeMpegAudio(text: string): string | undefined {
  const headerAt = (at: number) => Array.from({ length: HEADER_BYTES }, (_, index) => text.charCodeAt(at + index));
  if (text.length < HEADER_BYTES) return 'more';
  const frame = readMpegFrame(headerAt(0));
  if (frame === undefined) return undefined;
  const next = frame.sizeBytes;
  if (text.length < next + HEADER_BYTES) return 'more';
  const isSame = text.charAt(next) === '\xff' && text.charCodeAt(next + 1) === text.charCodeAt(1);
  return isSame && readMpegFrame(headerAt(next)) !== undefined ? frame.mimeType : undefined;
}
