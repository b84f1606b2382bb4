/** Bytes of one frame and its time, at 48 kHz and 128 kbit/s. */
const audioLayers = {
  mp1: { header: [0xff, 0xff, 0x44, 0xc0], frameBytes: 128, frameMs: 8 },
  mp2: { header: [0xff, 0xfd, 0x84, 0xc0], frameBytes: 384, frameMs: 24 },
  mp3: { header: [0xff, 0xfb, 0x94, 0xc0], frameBytes: 384, frameMs: 24 },
};
export type AudioLayer = keyof typeof audioLayers;

/** Silent frames of MPEG-1 audio of a layer. */
export function buildMpegAudio(layer: AudioLayer, durationMs: number): Buffer {
  const { header, frameBytes, frameMs } = audioLayers[layer];
  const frame = Buffer.concat([Buffer.from(header), Buffer.alloc(frameBytes - header.length)]);
  return Buffer.concat(Array.from({ length: durationMs / frameMs }, () => frame));
}

const picturesPerSecond = 25;
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Bare MPEG-1 video of 352 × 240, in groups of ten pictures of two slices each. */
export function buildMpegVideo(durationMs: number): Buffer {
  const sequence = bytesOf('000001b3 1600f0 13 ffffe018');
  const group = bytesOf('000001b8 00080040');
  const slices = ['00000101', '00000102'].map((start) => Buffer.concat([bytesOf(start), Buffer.alloc(100, 0x92)]));
  const pictures = Array.from({ length: (durationMs / 1000) * picturesPerSecond }, (_, index) => {
    const place = index % 10;
    const picture = bytesOf('00000100 0000 fff8');
    picture.writeUInt16BE((place << 6) | ((place === 0 ? 1 : 2) << 3) | 7, 4);
    return Buffer.concat([...(place === 0 ? [sequence, group] : []), picture, ...slices]);
  });
  return Buffer.concat([...pictures, bytesOf('000001b7')]);
}

type Streams = { video?: Buffer; audio?: Buffer; isSecond?: boolean };
// A sector of a Video CD holds one pack of one packet.
const packBytes = 2324;

/** A program stream of packs that cut their streams anywhere: of MPEG-1, as on a Video CD, or of MPEG-2, as on a DVD. */
export function buildProgramStream({ video, audio, isSecond = false }: Streams): Buffer {
  const packHeader = bytesOf(isSecond ? '000001ba 44000400 0401 000003f8' : '000001ba 2100010001 800001');
  const packetHeader = bytesOf(isSecond ? '8080052100010001' : '602e2100010001');
  const roomBytes = packBytes - packHeader.length - 6 - packetHeader.length;
  const wrap = (id: number, payload: Buffer) => {
    const start = Buffer.from([0, 0, 1, id, 0, 0]);
    start.writeUInt16BE(packetHeader.length + payload.length, 4);
    return Buffer.concat([packHeader, start, packetHeader, payload]);
  };
  const cut = (id: number, stream: Buffer = Buffer.alloc(0)) =>
    Array.from({ length: Math.ceil(stream.length / roomBytes) }, (_, index) => ({
      at: (index * roomBytes) / stream.length,
      pack: wrap(id, stream.subarray(index * roomBytes, (index + 1) * roomBytes)),
    }));
  const packs = [...cut(0xe0, video), ...cut(0xc0, audio)].sort((one, other) => one.at - other.at);
  return Buffer.concat([...packs.map(({ pack }) => pack), bytesOf('000001b9')]);
}

/** A program stream in the sectors of a disc, as a file that was copied from a Video CD. */
export function buildVideoCd(program: Buffer): Buffer {
  const header = Buffer.concat([
    Buffer.from('RIFF\0\0\0\0CDXAfmt \x10\0\0\0'),
    Buffer.alloc(16),
    Buffer.from('data\0\0\0\0'),
  ]);
  const sectors = Array.from({ length: Math.ceil(program.length / packBytes) }, (_, index) => {
    const content = Buffer.alloc(packBytes);
    program.copy(content, 0, index * packBytes);
    return Buffer.concat([
      bytesOf('00 ffffffffffffffffffff 00 00000002 00006400 00006400'),
      content,
      Buffer.alloc(4, 0xff),
    ]);
  });
  header.writeUInt32LE(header.length - 8 + sectors.length * 2352, 4);
  return Buffer.concat([header, ...sectors]);
}
