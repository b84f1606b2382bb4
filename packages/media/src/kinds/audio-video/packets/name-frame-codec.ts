/**
 * The coding of a track by its first frame, where containers have one name for several: `mp3` for every layer of MPEG audio, and `mp4v` for all that
 * came before H.264. Others keep their name.
 */
export function nameFrameCodec(named: string | undefined, frame: Uint8Array): string | undefined {
  if (named === 'mp3') return nameAudioLayer(frame);
  if (named !== 'mpeg4') return named;
  if (frame[0] === 0xff && frame[1] === 0xd8) return 'mjpeg';
  return isStartCode(frame, 0) && frame[3] === sequenceCode ? nameSequence(frame) : named;
}

// Two bits of the header of a frame: 3 is layer I.
function nameAudioLayer(frame: Uint8Array): string {
  const layer = ((frame[1] ?? 0) >> 1) & 3;
  return layer === 3 ? 'mp1' : layer === 2 ? 'mp2' : 'mp3';
}

const sequenceCode = 0xb3;
const extensionCode = 0xb5;
const sequenceBytes = 12;
const tableBytes = 64;

// A group of pictures of MPEG-4 has the same code, and is shorter than the header of a sequence, behind which may be two tables.
function nameSequence(frame: Uint8Array): string {
  let at = 4;
  while (at <= sequenceBytes + 2 * tableBytes && !isStartCode(frame, at)) at += 1;
  if (at < sequenceBytes) return 'mpeg4';
  return frame[at + 3] === extensionCode ? 'mpeg2' : 'mpeg1';
}

const isStartCode = (bytes: Uint8Array, at: number) => bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1;
