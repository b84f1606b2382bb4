/** A coding in Ogg: what its first packet says, and how its positions count. */
export type OggCodec = {
  kind: 'audio' | 'video';
  codec: string;
  width?: number;
  height?: number;
  /** Seconds from the start of the stream to this position. */
  toSeconds(granule: bigint): number;
  /** The longest that one packet can last. */
  mostSecondsPerPacket: number;
};

const vorbis = (head: Buffer) => sampled('vorbis', head.readUInt32LE(12), 8192);
const speex = (head: Buffer) => sampled('speex', head.readUInt32LE(36), 320 * 255);
const flac = (head: Buffer) => sampled('flac', head.readUIntBE(27, 3) >> 4, 65_535);

function opus(head: Buffer): OggCodec {
  const skipped = BigInt(head.readUInt16LE(10));
  const toSeconds = (granule: bigint) => Number(granule > skipped ? granule - skipped : 0n) / 48_000;
  return { kind: 'audio', codec: 'opus', toSeconds, mostSecondsPerPacket: 0.12 };
}

function sampled(codec: string, samplesPerSecond: number, mostSamplesPerPacket: number): OggCodec {
  const toSeconds = (granule: bigint) => Number(granule) / samplesPerSecond;
  return { kind: 'audio', codec, toSeconds, mostSecondsPerPacket: mostSamplesPerPacket / samplesPerSecond };
}

// A position is the number of the last key frame and, in its lower bits, of the frames since.
function theora(head: Buffer): OggCodec {
  const secondsPerFrame = head.readUInt32BE(26) / head.readUInt32BE(22);
  const shift = BigInt(((head.readUInt8(40) & 3) << 3) | (head.readUInt8(41) >> 5));
  const toSeconds = (granule: bigint) =>
    Number((granule >> shift) + (granule & ((1n << shift) - 1n))) * secondsPerFrame;
  const size = { width: head.readUIntBE(14, 3), height: head.readUIntBE(17, 3) };
  return { kind: 'video', codec: 'theora', ...size, toSeconds, mostSecondsPerPacket: secondsPerFrame };
}

const codecs: [magic: string, headBytes: number, read: (head: Buffer) => OggCodec][] = [
  ['\x01vorbis', 16, vorbis],
  ['OpusHead', 12, opus],
  ['Speex   ', 40, speex],
  ['\x7fFLAC', 30, flac],
  ['\x80theora', 42, theora],
];

/** The coding of a stream by its first packet; undefined where it is none of sound or pictures that is known. */
export function readOggCodec(head: Buffer): OggCodec | undefined {
  const found = codecs.find(
    ([magic, headBytes]) => head.length >= headBytes && head.toString('latin1', 0, magic.length) === magic,
  );
  const codec = found?.[2](head);
  return codec !== undefined && codec.mostSecondsPerPacket > 0 && Number.isFinite(codec.mostSecondsPerPacket)
    ? codec
    : undefined;
}
