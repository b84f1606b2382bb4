const u16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 0xff])));
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)));
const latin1 = (text: string) => Buffer.from(text, 'latin1');

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), latin1(type), body]);
}

/** A film without sound: each frame is a chunk and lasts a tenth of a second. `coding` is the name in its sample description. */
export type Movie = {
  brand: 'qt  ' | 'isom';
  coding: string;
  /** Boxes behind the description of the picture. */
  details?: Buffer;
  frames: readonly Buffer[];
  /** Whether the index comes before the frames, as in a file that is made for the web. */
  isIndexFirst: boolean;
};

const size = { width: 160, height: 96 };

export function buildMovie(movie: Movie): Buffer {
  const type = box('ftyp', latin1(movie.brand), u32(0), latin1(movie.brand));
  const frames = box('mdat', ...movie.frames);
  const indexBytes = buildIndex(movie, 0).length;
  const framesAt = type.length + (movie.isIndexFirst ? indexBytes : 0) + 8;
  const index = buildIndex(movie, framesAt);
  return Buffer.concat(movie.isIndexFirst ? [type, index, frames] : [type, frames, index]);
}

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

function buildIndex(movie: Movie, framesAt: number): Buffer {
  const duration = movie.frames.length;
  const volume = Buffer.concat([u16(0x100), Buffer.alloc(10)]);
  const movieHeader = box('mvhd', u32(0, 0, 0, 10, duration, 0x10000), volume, matrix, Buffer.alloc(28));
  const trackHeader = box(
    'tkhd',
    u32(7, 0, 0, 1, 0, duration, 0, 0, 0, 0),
    matrix,
    u32(size.width * 65536, size.height * 65536),
  );
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, 10, duration), u16(0x55c4, 0)),
    box('hdlr', u32(0), latin1('mhlrvide'), Buffer.alloc(13)),
    box('minf', box('vmhd', u32(1), Buffer.alloc(8)), describeData(), buildSampleTable(movie, framesAt)),
  );
  return box('moov', movieHeader, box('trak', trackHeader, media));
}

const describeData = () => box('dinf', box('dref', u32(0, 1), box('url ', u32(1))));

function buildSampleTable({ coding, details = Buffer.alloc(0), frames }: Movie, framesAt: number): Buffer {
  const picture = Buffer.concat([Buffer.alloc(16), u16(size.width, size.height), u32(0x480000, 0x480000, 0), u16(1)]);
  const description = box(coding, Buffer.alloc(6), u16(1), picture, Buffer.alloc(32), u16(24, 0xffff), details);
  let at = framesAt;
  const offsets = frames.map(({ length }) => {
    at += length;
    return at - length;
  });
  return box(
    'stbl',
    box('stsd', u32(0, 1), description),
    box('stts', u32(0, 1, frames.length, 1)),
    box('stsc', u32(0, 1, 1, 1, 1)),
    box('stsz', u32(0, 0, frames.length), ...frames.map(({ length }) => u32(length))),
    box('stco', u32(0, frames.length), ...offsets.map((offset) => u32(offset))),
  );
}

/** The box by which MP4 says which coding of the older ones a track has. */
export function buildCodingBox(objectType: number): Buffer {
  const config = Buffer.concat([Buffer.from([4, 13, objectType, 0x11]), Buffer.alloc(11)]);
  return box('esds', u32(0), Buffer.from([3, 3 + config.length, 0, 1, 0]), config);
}

/** A picture of Motion JPEG: its beginning and its end. */
export const jpegFrame = Buffer.concat([
  Buffer.from('ffd8ffdb', 'hex'),
  Buffer.alloc(300, 0x42),
  Buffer.from('ffd9', 'hex'),
]);

/** A picture of the form that is called B: without markers, behind a header of its own. */
export const jpegFrameB = Buffer.concat([u32(0), latin1('mjpg'), u32(400, 400), Buffer.alloc(384, 0x42)]);
