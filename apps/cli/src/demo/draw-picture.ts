import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 1200;
const HEIGHT = 800;
const BYTES_PER_PIXEL = 3;

type Color = readonly [red: number, green: number, blue: number];

const dusk: Color = [28, 32, 78];
const glow: Color = [250, 148, 92];
const hill: Color = [24, 46, 58];
const sun: Color = [255, 226, 158];

const mix = (from: Color, to: Color, share: number): Color =>
  [0, 1, 2].map((channel) =>
    Math.round((from[channel] ?? 0) + ((to[channel] ?? 0) - (from[channel] ?? 0)) * share),
  ) as unknown as Color;

function colorAt(x: number, y: number): Color {
  const ridge = 560 + 70 * Math.sin(x / 170) + 34 * Math.sin(x / 61 + 1) + 12 * Math.sin(x / 23);
  if (y > ridge) return mix(hill, dusk, Math.min(1, (y - ridge) / 420));
  const distance = Math.hypot(x - 820, y - 430);
  if (distance < 96) return sun;
  const sky = mix(dusk, glow, Math.min(1, (y / 600) ** 1.6));
  return mix(sun, sky, Math.min(1, Math.max(0, (distance - 96) / 210)));
}

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Draws a picture: hills under an evening sun, as a PNG of 1200 × 800 pixels. */
export function drawPicture(): Buffer {
  const stride = 1 + WIDTH * BYTES_PER_PIXEL;
  const rows = Buffer.alloc(stride * HEIGHT);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) rows.set(colorAt(x, y), y * stride + 1 + x * BYTES_PER_PIXEL);
  }
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
