import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './seeded-random.ts';

/** A file that is built as its format says, with noise for its content. */
export type MadeMedia = { mimeType: string; bytes: Buffer };

const u16le = (value: number) => Buffer.from([value & 0xff, (value >> 8) & 0xff]);
const u32le = (value: number) => Buffer.from([value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]);
const u16be = (value: number) => u16le(value).reverse();
const u32be = (value: number) => u32le(value).reverse();
const latin1 = (text: string) => Buffer.from(text, 'latin1');

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([latin1(type), data]);
  return Buffer.concat([u32be(data.length), body, u32be(crc32(body))]);
}

function png(random: Random, size: number): Buffer {
  const width = 16;
  const height = Math.max(1, Math.ceil(size / (width * 3)));
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.from([0]), random.bytes(width * 3)]));
  const head = Buffer.concat([u32be(width), u32be(height), Buffer.from([8, 2, 0, 0, 0])]);
  const text = random.chance(0.3) ? [pngChunk('tEXt', latin1(`Comment\0${random.text('abc ', 20)}`))] : [];
  const data = pngChunk('IDAT', deflateSync(Buffer.concat(rows), { level: 0 }));
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', head),
    ...text,
    data,
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), u16be(data.length + 2), data]);
}

function jpeg(random: Random, size: number): Buffer {
  const coded = [...random.bytes(size)].flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte]));
  const head = random.chance(0.5)
    ? jpegSegment(0xe0, latin1('JFIF\0\x01\x01\0\0\x01\0\x01\0\0'))
    : jpegSegment(0xe1, Buffer.concat([latin1('Exif\0\0'), random.bytes(60)]));
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    head,
    jpegSegment(0xdb, Buffer.concat([Buffer.from([0]), random.bytes(64)])),
    jpegSegment(0xc0, Buffer.from([8, 0, 16, 0, 16, 1, 1, 0x11, 0])),
    jpegSegment(0xc4, random.bytes(28)),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from(coded),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function gif(random: Random, size: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 255) }, () =>
    Buffer.concat([Buffer.from([255]), random.bytes(255)]),
  );
  return Buffer.concat([
    latin1(random.pick(['GIF87a', 'GIF89a'])),
    ...[u16le(16), u16le(16), Buffer.from([0x80, 0, 0]), random.bytes(6)],
    ...[Buffer.from([0x2c, 0, 0, 0, 0]), u16le(16), u16le(16), Buffer.from([0, 2])],
    ...blocks,
    Buffer.from([0, 0x3b]),
  ]);
}

function riff(form: string, random: Random, size: number): Buffer {
  const body = Buffer.concat([
    latin1(form),
    latin1(form === 'WEBP' ? 'VP8L' : 'fmt '),
    u32le(size),
    random.bytes(size),
  ]);
  const isOdd = body.length % 2 === 1;
  return Buffer.concat([
    latin1('RIFF'),
    u32le(body.length),
    body,
    ...(isOdd && random.chance(0.5) ? [Buffer.alloc(1)] : []),
  ]);
}

function aiff(random: Random, size: number): Buffer {
  const body = Buffer.concat([latin1('AIFF'), random.bytes(size - (size % 2))]);
  return Buffer.concat([latin1('FORM'), u32be(body.length), body]);
}

const box = (type: string, data: Buffer) => Buffer.concat([u32be(data.length + 8), latin1(type), data]);

function boxes(brand: string, random: Random, size: number): Buffer {
  const head = box('ftyp', Buffer.concat([latin1(brand), u32be(512), latin1(brand), latin1('mif1')]));
  return Buffer.concat([head, box('moov', random.bytes(120)), box('mdat', random.bytes(size))]);
}

function mp3(random: Random, size: number, isTagged: boolean): Buffer {
  const frame = () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), random.bytes(413)]);
  const tag = Buffer.concat([latin1('ID3\x03\0\0\0\0\0\x20'), random.bytes(32)]);
  const frames = Array.from({ length: Math.max(2, Math.ceil(size / 417)) }, frame);
  return Buffer.concat([...(isTagged ? [tag] : []), ...frames]);
}

function ogg(random: Random, size: number): Buffer {
  const page = (flags: number, data: Buffer) => {
    const lengths = [...Array(Math.floor(data.length / 255)).fill(255), data.length % 255];
    const head = Buffer.concat([
      latin1('OggS\0'),
      Buffer.from([flags]),
      random.bytes(20),
      Buffer.from([lengths.length]),
    ]);
    return Buffer.concat([head, Buffer.from(lengths), data]);
  };
  const pages = Array.from({ length: Math.ceil(size / 4000) }, () => page(0, random.bytes(4000)));
  return Buffer.concat([
    page(2, Buffer.concat([latin1('OpusHead'), random.bytes(11)])),
    ...pages,
    page(4, random.bytes(100)),
  ]);
}

function pdf(random: Random, size: number): Buffer {
  const stream = Buffer.concat([
    latin1(`1 0 obj\n<< /Length ${size} >>\nstream\n`),
    random.bytes(size),
    latin1('\nendstream\nendobj\n'),
  ]);
  const end = latin1(`xref\n0 1\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF${random.pick(['', '\n', '\r\n'])}`);
  return Buffer.concat([latin1(`%PDF-1.${random.integer(3, 7)}\n%\xe2\xe3\xcf\xd3\n`), stream, end]);
}

function zip(random: Random, size: number): Buffer {
  const name = latin1(random.pick(['word/document.xml', 'xl/workbook.xml', 'a.txt']));
  const data = random.bytes(size);
  const facts = Buffer.concat([Buffer.alloc(10), u32le(size), u32le(size), u16le(name.length), u16le(0)]);
  const local = Buffer.concat([latin1('PK\x03\x04'), u16le(20), u16le(0), facts, name, data]);
  const entry = Buffer.concat([
    latin1('PK\x01\x02'),
    u16le(20),
    u16le(20),
    u16le(0),
    facts,
    u16le(0),
    Buffer.alloc(10),
    u32le(0).subarray(0, 2),
    name,
  ]);
  const end = Buffer.concat([
    latin1('PK\x05\x06'),
    Buffer.alloc(8),
    u32le(entry.length),
    u32le(local.length),
    u16le(0),
  ]);
  return Buffer.concat([local, entry, end]);
}

const bitmap = (random: Random, size: number): Buffer =>
  Buffer.concat([
    latin1('BM'),
    u32le(size + 54),
    Buffer.alloc(4),
    u32le(54),
    u32le(40),
    random.bytes(36),
    random.bytes(size),
  ]);
const tiff = (random: Random, size: number): Buffer => Buffer.concat([latin1('II*\0'), u32le(8), random.bytes(size)]);
const flac = (random: Random, size: number): Buffer =>
  Buffer.concat([latin1('fLaC\0\0\0\x22'), random.bytes(34), Buffer.from([0xff, 0xf8]), random.bytes(size)]);
const webmSegment = (data: Buffer): Buffer =>
  Buffer.concat([
    latin1('\x18S\x80g'),
    Buffer.from([0x10 | (data.length >> 24)]),
    u32be(data.length).subarray(1),
    data,
  ]);
const webm = (random: Random, size: number): Buffer =>
  Buffer.concat([
    latin1('\x1aE\xdf\xa3\x97B\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm'),
    webmSegment(random.bytes(size)),
  ]);

type Maker = { mimeType: string; make(random: Random, size: number): Buffer };

const makers: readonly Maker[] = [
  { mimeType: 'image/png', make: png },
  { mimeType: 'image/jpeg', make: jpeg },
  { mimeType: 'image/gif', make: gif },
  { mimeType: 'image/webp', make: (random, size) => riff('WEBP', random, size) },
  { mimeType: 'image/avif', make: (random, size) => boxes('avif', random, size) },
  { mimeType: 'image/heic', make: (random, size) => boxes('heic', random, size) },
  { mimeType: 'image/bmp', make: bitmap },
  { mimeType: 'image/tiff', make: tiff },
  { mimeType: 'application/pdf', make: pdf },
  { mimeType: 'audio/wav', make: (random, size) => riff('WAVE', random, size) },
  { mimeType: 'audio/aiff', make: aiff },
  { mimeType: 'audio/mpeg', make: (random, size) => mp3(random, size, true) },
  { mimeType: 'audio/mpeg', make: (random, size) => mp3(random, size, false) },
  { mimeType: 'audio/flac', make: flac },
  { mimeType: 'audio/ogg', make: ogg },
  { mimeType: 'audio/mp4', make: (random, size) => boxes('M4A ', random, size) },
  { mimeType: 'video/mp4', make: (random, size) => boxes('isom', random, size) },
  { mimeType: 'video/quicktime', make: (random, size) => boxes('qt  ', random, size) },
  { mimeType: 'video/webm', make: webm },
  { mimeType: 'application/zip', make: zip },
];

/** A file of a format that is drawn, of about this many bytes. */
export function makeMedia(random: Random, size: number): MadeMedia {
  const { mimeType, make } = random.pick(makers);
  return { mimeType, bytes: make(random, size) };
}
