import { statSync } from 'node:fs';
import type { FileClaims } from '@attache/domain';
import { afterAll, describe, expect, it } from 'vitest';
import { buildMpegAudio } from '../__fixtures__/build-mpeg.ts';
import { buildGif, buildPngHeader, drawAnimation, drawPattern, encodePattern } from '../__fixtures__/images.ts';
import { readRecordingSample } from '../__fixtures__/recordings.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { judgeInspection, readClaims } from '../judge-inspection.ts';
import { inspectFile } from './inspect-file.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const size = { width: 120, height: 80 };

async function inspect(content: string | Uint8Array, claims: FileClaims = {}) {
  const path = folder.write('file', content);
  const file = { path, sizeBytes: statSync(path).size, maxPixels: 1_000_000 };
  return judgeInspection(
    await inspectFile({ task: 'inspect', ...file, ...readClaims(claims) }),
    claims.declaredMimeType,
  );
}

describe('images', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const)(
    'reads the facts of %s [SR-14 RP-10]',
    async (format) => {
      const image = await encodePattern(size, format);
      expect(await inspect(image)).toMatchObject({
        status: 'ready',
        mimeType: `image/${format}`,
        facts: { ...size, animated: false, hasAlpha: false },
        warnings: [],
      });
    },
  );

  it('gives width and height as the EXIF orientation shows them', async () => {
    const image = await drawPattern(size).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await inspect(image)).toMatchObject({ facts: { width: size.height, height: size.width } });
  });

  it('knows alpha and frames', async () => {
    expect(await inspect(await drawPattern(size, 4).png().toBuffer())).toMatchObject({ facts: { hasAlpha: true } });
    const facts = { ...size, animated: true, frames: 3 };
    expect(await inspect(await drawAnimation(size, 3))).toMatchObject({ mimeType: 'image/gif', facts });
  });

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('rejects %s that is cut off [DL-37]', async (format) => {
    const image = await encodePattern(size, format);
    for (const kept of [0.6, 0.99]) {
      const cut = image.subarray(0, Math.floor(image.length * kept));
      expect(await inspect(cut)).toMatchObject({ status: 'rejected', failure: { code: 'attachment_corrupt_image' } });
    }
  });

  it('takes a cursor for an icon, and no TGA, which begins as one', async () => {
    const entry = Buffer.from([16, 16, 0, 0, 1, 0, 1, 0, 40, 0, 0, 0, 22, 0, 0, 0]);
    const cursor = Buffer.concat([Buffer.from([0, 0, 2, 0, 1, 0]), entry, Buffer.alloc(40)]);
    expect(await inspect(cursor)).toMatchObject({ mimeType: 'image/x-icon', kind: 'unsupported' });
    const tga = Buffer.concat([
      Buffer.from([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 24, 0]),
      Buffer.from(Array.from({ length: 768 }, (_, index) => (index * 37) & 0xff)),
    ]);
    expect(await inspect(tga)).toMatchObject({ mimeType: 'application/octet-stream' });
  });

  it('says why without the path of the file', async () => {
    const cut = (await encodePattern(size, 'avif')).subarray(0, -9);
    const outcome = await inspect(cut);
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect(JSON.stringify(outcome)).not.toContain(folder.pathOf(''));
  });

  it.each([
    [50_000, 50_000],
    [1, 1_000_000_000],
  ])('refuses a pixel bomb of %i × %i from its header [S16 DL-72]', async (width, height) => {
    const safeDetails = { width, height, frames: 1, maxPixels: 1_000_000 };
    expect(await inspect(buildPngHeader({ width, height }))).toMatchObject({
      status: 'rejected',
      mimeType: 'image/png',
      failure: { code: 'attachment_pixels_exceeded', safeDetails },
    });
  });

  it('takes the screen of a GIF for its size, not its first frame [S16 DL-75]', async () => {
    expect(await inspect(buildGif([50, 40], [4, 4]))).toMatchObject({
      status: 'ready',
      facts: { width: 50, height: 40 },
    });
    expect(await inspect(buildGif([3000, 10], [4, 4]))).toMatchObject({ facts: { width: 3000, height: 10 } });
    expect(await inspect(buildGif([4, 4], [2000, 2000]))).toMatchObject({
      failure: { code: 'attachment_pixels_exceeded' },
    });
    const safeDetails = { width: 65_535, height: 65_535, frames: 1, maxPixels: 1_000_000 };
    expect(await inspect(buildGif([65_535, 65_535], [4, 4]))).toMatchObject({
      status: 'rejected',
      failure: { code: 'attachment_pixels_exceeded', safeDetails },
    });
  });

  it('knows AVIF that moves [DL-75]', async () => {
    expect(await inspect(readRecordingSample('animated.avif'))).toMatchObject({
      status: 'ready',
      mimeType: 'image/avif',
      facts: { width: 64, height: 48, animated: true },
    });
  });

  it.each(['', 'image/png'])('does not count the pixels of noise, declared as %j [S16]', async (declaredMimeType) => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * index * 7919) >> 3));
    expect(await inspect(noise, { declaredMimeType })).toMatchObject({ mimeType: 'application/octet-stream' });
    const signed = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise]);
    expect(await inspect(signed, { declaredMimeType })).toMatchObject({
      failure: { code: 'attachment_corrupt_image' },
    });
  });

  it('counts the pixels of all frames [S16]', async () => {
    const animation = await drawAnimation({ width: 300, height: 300 }, 12);
    expect(await inspect(animation)).toMatchObject({ status: 'rejected', failure: { safeDetails: { frames: 12 } } });
  });

  it('knows a broken image by its first bytes when its other signs are gone', async () => {
    const cut = (await encodePattern(size, 'tiff')).subarray(0, 2000);
    expect(await inspect(cut)).toMatchObject({
      status: 'rejected',
      mimeType: 'image/tiff',
      failure: { code: 'attachment_corrupt_image' },
    });
  });
});

describe('files that are not what they are called', () => {
  it.each([
    ['HTML', '<html><script>alert(1)</script>', 'text/html'],
    ['a fragment of HTML', '<img src=x onerror=alert(1)>', 'text/html'],
    ['SVG', '<svg onload="alert(1)"/>', 'image/svg+xml'],
    ['HTML in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'text/html'],
    ['a program', Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(200)]), 'application/x-elf'],
    ['text', 'BMW is a car', 'text/plain'],
  ])('takes %s called PNG for what it is [S10 S11]', async (_, content, mimeType) => {
    const outcome = await inspect(content, { declaredMimeType: 'image/png' });
    expect(outcome).toMatchObject({ status: 'ready', mimeType, warnings: [{ code: 'type_differs_from_declared' }] });
  });

  it.each(['png', 'jpeg', 'gif'] as const)('warns of a second file behind %s [S10]', async (format) => {
    const image = await encodePattern(size, format);
    const polyglot = Buffer.concat([image, Buffer.from('<html><script>alert(1)</script></html>')]);
    expect(await inspect(polyglot, { declaredMimeType: `image/${format}` })).toMatchObject({
      status: 'ready',
      mimeType: `image/${format}`,
      warnings: [{ code: 'trailing_bytes', message: '38 bytes follow the end of the image.' }],
    });
  });

  it('takes a GIF with a script in it for a GIF [S10]', async () => {
    const gif = await encodePattern(size, 'gif');
    const polyglot = Buffer.concat([gif, Buffer.from('*/=1;alert(1)//')]);
    expect(await inspect(polyglot, { declaredMimeType: 'text/javascript' })).toMatchObject({
      mimeType: 'image/gif',
      warnings: [{ code: 'type_differs_from_declared' }, { code: 'trailing_bytes' }],
    });
  });

  it('does not warn of another spelling of the same type', async () => {
    const jpeg = await encodePattern(size, 'jpeg');
    expect(await inspect(jpeg, { declaredMimeType: 'image/jpg' })).toMatchObject({ warnings: [] });
  });
});

describe('other kinds', () => {
  it('keeps the declared type of text, which bytes cannot tell [RP-05]', async () => {
    const outcome = {
      status: 'ready',
      mimeType: 'text/markdown',
      kind: 'text',
      facts: { encoding: 'utf-8', hasByteOrderMark: false },
    };
    expect(await inspect('<h1 align="center">Readme</h1>', { declaredMimeType: 'text/markdown' })).toEqual({
      ...outcome,
      warnings: [],
    });
    expect(await inspect('{"a":1}', { declaredMimeType: 'application/json' })).toMatchObject({
      mimeType: 'application/json',
    });
    expect(await inspect('nothing declared')).toMatchObject({ mimeType: 'text/plain' });
    expect(await inspect('<?xml version="1.0"?><a/>')).toMatchObject({ mimeType: 'application/xml' });
  });

  it('knows a PDF by its first bytes, even a broken one or one with blanks before it [SR-14]', async () => {
    for (const pdf of ['%PDF-1.7\n1 0 obj', '\n\n   %PDF-1.4\n']) {
      const failure = { code: 'attachment_corrupt' };
      expect(await inspect(pdf)).toMatchObject({ status: 'rejected', mimeType: 'application/pdf', failure });
    }
  });

  it('knows sound by its bytes, not by its beginning [SR-14]', async () => {
    expect(await inspect(readRecordingSample('wav-s16.wav'), { declaredMimeType: 'audio/x-wav' })).toEqual({
      status: 'ready',
      mimeType: 'audio/wav',
      kind: 'audio',
      facts: { container: 'wav', audioCodec: 'pcm-s16', durationMs: 1000 },
      warnings: [],
    });
    const beginning = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(64)]);
    expect(await inspect(beginning)).toMatchObject({ mimeType: 'audio/wav', failure: { code: 'attachment_corrupt' } });
  });

  it.each([
    ['audio/mpeg', []],
    ['audio/x-mp2', []],
    ['audio/mp3', [{ code: 'type_differs_from_declared' }]],
  ])('takes layer II of MPEG audio, declared as %s, for what it is [S10]', async (declaredMimeType, warnings) => {
    const outcome = { status: 'ready', mimeType: 'audio/mp2', kind: 'audio', warnings };
    expect(await inspect(buildMpegAudio('mp2', 240), { declaredMimeType })).toMatchObject(outcome);
  });

  it('labels BMP, and keeps a text that begins like one', async () => {
    const header = Buffer.alloc(58);
    header.write('BM');
    header.writeUInt32LE(58, 2);
    header.writeUInt32LE(54, 10);
    header.writeUInt32LE(40, 14);
    for (const declaredMimeType of ['image/bmp', 'image/x-ms-bmp']) {
      const outcome = { status: 'ready', mimeType: 'image/bmp', kind: 'unsupported', warnings: [] };
      expect(await inspect(header, { declaredMimeType })).toMatchObject(outcome);
    }
    expect(await inspect('BMX\u0007 is a bike')).toMatchObject({ mimeType: 'text/plain' });
  });

  const greeting = 'Grüße, 世界 🙂\n';
  const utf32 = (text: string, isLittle: boolean) =>
    Buffer.concat(
      [...text].map((char) => {
        const unit = Buffer.alloc(4);
        const code = char.codePointAt(0) ?? 0;
        if (isLittle) unit.writeUInt32LE(code);
        else unit.writeUInt32BE(code);
        return unit;
      }),
    );

  it.each([
    ['UTF-32 with a mark', utf32(`\ufeff${greeting}`, true), 'utf-32le'],
    ['UTF-32 with a mark, big end first', utf32(`\ufeff${greeting}`, false), 'utf-32be'],
    ['UTF-32 without a mark', utf32('It is what it is.\nNo more.', true), 'utf-32le'],
    ['UTF-32 without a mark, big end first', utf32('It is what it is.\nNo more.', false), 'utf-32be'],
    ['a log in colour', '\u001b[31mERROR\u001b[0m down\n', 'utf-8'],
    ['a bell and a backspace', 'ding\u0007 a\u0008b\n', 'utf-8'],
    ['a record of FIX', '8=FIX.4.2\u00019=178\u000135=8\u000149=PHLX\u0001', 'utf-8'],
    ['a sequence of JSON', '\u001e{"a":1}\n\u001e{"a":2}\n', 'utf-8'],
  ])('is text: %s [RP-05 RP-08]', async (_, content, encoding) => {
    expect(await inspect(content)).toMatchObject({ status: 'ready', mimeType: 'text/plain', facts: { encoding } });
  });

  it.each([
    ['half a character of UTF-32', Buffer.concat([utf32(`\ufeff${greeting}`, true), Buffer.from([0x41, 0])])],
    ['an array of small numbers', Buffer.from(Int32Array.from({ length: 200 }, (_, index) => index + 1).buffer)],
  ])('is no text: %s', async (_, content) => {
    expect(await inspect(content)).toMatchObject({ mimeType: 'application/octet-stream' });
  });

  it('takes the ending of a name for what the sender does not say', async () => {
    const named = (name: string, declaredMimeType?: string) => inspect('# a,b\n', { name, declaredMimeType });
    expect(await named('a.md')).toMatchObject({ mimeType: 'text/markdown', warnings: [] });
    expect(await named('a.md', 'text/plain')).toMatchObject({ mimeType: 'text/markdown', warnings: [] });
    expect(await named('a.md', 'application/octet-stream')).toMatchObject({ mimeType: 'text/markdown', warnings: [] });
    expect(await named('a.md', 'text/csv')).toMatchObject({ mimeType: 'text/csv', warnings: [] });
    expect(await named('a.png', 'image/png')).toMatchObject({
      mimeType: 'text/plain',
      warnings: [{ code: 'type_differs_from_declared' }],
    });
  });

  it('keeps what it cannot read as bytes that can be stored and described [SR-29 RP-05]', async () => {
    const bytes = Buffer.from([0, 1, 2, 3, 250, 0, 0, 9]);
    expect(await inspect(bytes)).toEqual({
      status: 'ready',
      mimeType: 'application/octet-stream',
      kind: 'unsupported',
      facts: {},
      warnings: [],
    });
    expect(await inspect(bytes, { declaredMimeType: 'application/x-own-format' })).toMatchObject({ warnings: [] });
    expect(await inspect(bytes, { declaredMimeType: 'image/png' })).toMatchObject({
      mimeType: 'application/octet-stream',
      warnings: [{ code: 'type_differs_from_declared' }],
    });
  });

  it('comes to an end on the file that loops an old sniffer for ever [A25]', async () => {
    const header = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
    const asf = Buffer.concat([header, Buffer.alloc(39)]);
    expect(await inspect(asf)).toMatchObject({ status: 'ready' });
  });
});
