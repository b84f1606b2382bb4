import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { describeImage, dominantColours, hexOf } from './describe-image.ts';
import { describeText } from './describe-text.ts';
import { drawCard } from './draw-card.ts';
import { sha256Of } from './read-prompt.ts';

async function makeFlag(): Promise<Buffer> {
  const red = await sharp({ create: { width: 60, height: 20, channels: 3, background: '#cc2020' } })
    .png()
    .toBuffer();
  return await sharp({ create: { width: 60, height: 60, channels: 3, background: '#2040c0' } })
    .composite([{ input: red, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

describe('an image', () => {
  it('is described by size, colours and the digest of the bytes that arrived', async () => {
    const bytes = await makeFlag();
    const description = await describeImage({ type: 'image', mimeType: 'image/png', bytes, sha256: sha256Of(bytes) });
    expect(description).toContain('a PNG image of 60 × 60 pixels');
    expect(description).toContain('#2040C0 67 %, #CC2020 33 %');
    expect(description).toContain(sha256Of(bytes));
  });

  it('that does not decode is called so', async () => {
    const bytes = Buffer.from('no image');
    expect(await describeImage({ type: 'image', mimeType: 'image/png', bytes, sha256: 'x' })).toContain(
      'does not decode',
    );
    expect(await drawCard(bytes)).toBeUndefined();
  });

  it('becomes a card with its colours below it', async () => {
    const card = await drawCard(await makeFlag());
    const { data, info } = await sharp(card?.bytes).raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)];
    expect([info.width, info.height]).toEqual([768, 864]);
    expect(pixel(2, 2)).toEqual([0xfa, 0xf9, 0xf6]);
    expect(pixel(30, info.height - 90)).toEqual([0x20, 0x40, 0xc0]);
    expect(pixel(info.width - 30, info.height - 90)).toEqual([0xcc, 0x20, 0x20]);
  });

  it('has its near colours joined', () => {
    const colours = dominantColours(Uint8Array.from([250, 0, 0, 240, 0, 0, 250, 0, 0, 0, 0, 250]), 3);
    expect(colours.map((colour) => [hexOf(colour), colour.share])).toEqual([
      ['#F70000', 0.75],
      ['#0000FA', 0.25],
    ]);
  });
});

it('a text file is described by its lines, characters, first line and digest', () => {
  const text = 'first 😀\nsecond\n';
  expect(
    describeText({ type: 'text-file', uri: 'attachment:a/b%20c.txt', mimeType: 'text/plain', text, sha256: 'x' }),
  ).toBe('the text file "b c.txt" with 2 lines and 15 characters, first line "first 😀" (text/plain, sha256 x)');
});
