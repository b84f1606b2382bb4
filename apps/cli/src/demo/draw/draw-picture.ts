import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 960;
const HEIGHT = 640;
const BYTES_PER_PIXEL = 3;

type Color = readonly [red: number, green: number, blue: number];

const dusk: Color = [28, 32, 78];
const glow: Color = [250, 148, 92];
const hill: Color = [24, 46, 58];
const sun: Color = [255, 226, 158];
const SUN_RADIUS = 78;
const HALO = 170;

/** Paints a mix of two colours: none of `to` at 0, nothing else at 1. */
function paintMix(rows: Buffer, at: number, from: Color, to: Color, share: number): void {
  const part = Math.min(1, Math.max(0, share));
  rows[at] = from[0] + (to[0] - from[0]) * part;
  rows[at + 1] = from[1] + (to[1] - from[1]) * part;
  rows[at + 2] = from[2] + (to[2] - from[2]) * part;
}

function paintColumn(rows: Buffer, x: number, stride: number): void {
  const ridge = 450 + 56 * Math.sin(x / 136) + 27 * Math.sin(x / 49 + 1) + 10 * Math.sin(x / 18);
  for (let y = 0; y < HEIGHT; y += 1) {
    const at = y * stride + 1 + x * BYTES_PER_PIXEL;
    const distance = Math.hypot(x - 656, y - 344);
    if (y > ridge) paintMix(rows, at, hill, dusk, (y - ridge) / 336);
    else if (distance < SUN_RADIUS + HALO) paintMix(rows, at, sun, glow, (distance - SUN_RADIUS) / HALO);
    else paintMix(rows, at, dusk, glow, (y / 480) ** 1.6);
  }
}

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Draws a picture: hills under an evening sun, as a PNG of 960 × 640 pixels. */
export function drawPicture(): Buffer {
  const stride = 1 + WIDTH * BYTES_PER_PIXEL;
  const rows = Buffer.alloc(stride * HEIGHT);
  for (let x = 0; x < WIDTH; x += 1) paintColumn(rows, x, stride);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits a channel, RGB.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(rows, { level: 6 })),
    encodeChunk('IEND', new Uint8Array()),
  ]);
}
