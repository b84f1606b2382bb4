import { crc32, deflateSync } from 'node:zlib';

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG header that claims a size, with no pixels behind it. */
export function makePngHeader(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return new Uint8Array(Buffer.concat([signature, encodeChunk('IHDR', header)]));
}

/** A real PNG of one colour and a little noise from the seed, so that two seeds make two digests. */
export function makePng(width: number, height: number, seed = 1): Uint8Array<ArrayBuffer> {
  const stride = 1 + width * 3;
  const rows = Buffer.alloc(stride * height, 120);
  for (let y = 0; y < height; y += 1) rows[y * stride] = 0;
  rows.writeUInt32BE(seed >>> 0, 1);
  const chunks = [encodeChunk('IDAT', deflateSync(rows)), encodeChunk('IEND', new Uint8Array())];
  return new Uint8Array(Buffer.concat([makePngHeader(width, height), ...chunks]));
}

/** A PNG whose pixels do not compress, of about the given size. */
export function makeNoisePng(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const width = 1000;
  const height = Math.max(1, Math.ceil(sizeBytes / (1 + width * 3)));
  const stride = 1 + width * 3;
  const rows = Buffer.alloc(stride * height);
  let state = 0x2545f491;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[at] = at % stride === 0 ? 0 : state >>> 24;
  }
  const chunks = [encodeChunk('IDAT', deflateSync(rows, { level: 1 })), encodeChunk('IEND', new Uint8Array())];
  return new Uint8Array(Buffer.concat([makePngHeader(width, height), ...chunks]));
}
