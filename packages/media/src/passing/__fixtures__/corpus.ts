import type { FileClaims } from '@attache/domain';
import { buildGif, buildPngHeader, encodePattern } from '../../__fixtures__/images.ts';
import { buildPdf } from '../../__fixtures__/pdfs.ts';
import { cutRecordings, readRecordingSample, recordingSamples } from '../../__fixtures__/recordings.ts';
import { oldEncodings } from '../../worker/__fixtures__/old-encodings.ts';
import type { Random } from './random.ts';

/** A file; without claims it is given some by chance. */
export type Sample = { what: string; content: Uint8Array; claims?: FileClaims };

const kB = 1024;
const windowBytes = 64 * kB;
const smallSizes = [1, 2, 3, 7, 64, 1000, 4099, 4100, 4101, 20_000];
const sizes = [...smallSizes, windowBytes - 1, windowBytes, windowBytes + 1, 2 * windowBytes, 100_000, 1_000_000];
const largeSizes = [5_000_000, 20_000_000];

const formats = ['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const;

const openings = [
  ...[
    '<html><script>alert(1)</script>',
    '<img src=x>',
    '<svg onload="alert(1)"/>',
    'BMW is a car',
    '<?xml version="1.0"?><a/>',
  ],
  ...[
    '{"a":1}',
    '# Title\n',
    '#!/bin/sh\necho 1\n',
    'a,b\n1,2\n',
    '%!PS-Adobe-3.0',
    '%PDF-1.7\n1 0 obj',
    '\n\n  %PDF-1.4\n',
  ],
  ...[
    'BEGIN:VCARD\nVERSION:4.0\n',
    'BEGIN:VCALENDAR\n',
    'WEBVTT\n\n',
    '{\\rtf1\\ansi',
    'solid cube\n',
    '#!AMR\n',
    'REGEDIT4\r\n',
  ],
  ...[
    '\u001b[31mERROR\u001b[0m down\n',
    'ding\u0007 a\u0008b\n',
    '8=FIX.4.2\u00019=178\u0001',
    '\u001e{"a":1}\n',
    'ID3 is a tag',
  ],
  ...[
    '<!-- x --><html>',
    '<!DOCTYPE svg [ <!ENTITY a "b"> ]><svg>',
    '<h1 align="center">Readme</h1>',
    '070707',
    'MZ, said Max',
    'GIFs',
  ],
];

/** The files that other tests of inspection use, and openings of texts. */
export async function listFixtures(): Promise<Sample[]> {
  const images = await Promise.all(formats.map((format) => encodePattern({ width: 120, height: 80 }, format)));
  const recordings = [...recordingSamples, ...cutRecordings];
  return [
    ...images.map((content, index) => ({ what: formats[index] ?? '', content })),
    ...images.map((content, index) => ({ what: `cut ${formats[index]}`, content: content.subarray(0, -9) })),
    ...recordings.map(({ name }) => ({ what: name, content: readRecordingSample(name) })),
    ...oldEncodings.map(([what, , hex]) => ({ what, content: Buffer.from(hex, 'hex') })),
    ...openings.map((text) => ({ what: text, content: Buffer.from(text) })),
    ...openings.map((text) => ({ what: `marked: ${text}`, content: Buffer.from(`\ufeff${text}`) })),
    ...openings.map((text) => ({ what: `UTF-16: ${text}`, content: Buffer.from(`\ufeff${text}`, 'utf16le') })),
    { what: 'PDF', content: buildPdf([['Hello']]) },
    { what: 'PDF behind a mail', content: Buffer.concat([Buffer.from('From: a\r\n\r\n'), buildPdf([['Hello']])]) },
    {
      what: 'text around PDF',
      content: Buffer.concat([Buffer.from('```\n'), buildPdf([['Hello']]), Buffer.from('```')]),
    },
    { what: 'GIF', content: buildGif([50, 40], [4, 4]) },
    { what: 'a header of PNG', content: buildPngHeader({ width: 9, height: 9 }) },
  ];
}

const alphabets = [
  'It is what it is. ',
  'Съешь же ещё этих мягких французских булок. ',
  '日本語の文章です。漢字とかなが混ざります。',
  '这是一个用国标编码写的中文文本',
  'naïve — 🙂👩‍💻 ',
  '{"key": [1, 2, 3]}\n',
  'a,b,c\n1,2,3\n',
];

type Encode = (text: string) => Buffer;
const utf16be: Encode = (text) => Buffer.from(text, 'utf16le').swap16();
const utf32le: Encode = (text) => Buffer.from(Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0).buffer);
const encodings: [name: string, encode: Encode][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-16LE', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16BE', utf16be],
  ['UTF-32LE', utf32le],
  ['UTF-32BE', (text) => utf32le(text).swap32()],
];

/** Text that is repeated until it fills a size. It may end amid a character. */
function fill(unit: Buffer, sizeBytes: number): Buffer {
  return Buffer.alloc(sizeBytes, unit);
}

/** Texts of every encoding, whole and broken, around every threshold. */
export function* listTexts(random: Random): Generator<Sample> {
  for (const [name, encode] of encodings)
    for (const mark of ['', '\ufeff'])
      for (const alphabet of alphabets)
        for (const sizeBytes of sizes) {
          const head = encode(mark + random.pick(['', '', random.pick(openings)]));
          const content = Buffer.concat([head, fill(encode(alphabet), sizeBytes)]);
          // Whole characters; cut off somewhere; with something broken in it.
          const whole = content.subarray(0, content.length - (content.length % 4));
          const forms = [whole, content.subarray(0, -1 - random.below(3)), breakIn(random, content)];
          yield { what: `${name} ${mark && 'with a mark '}${alphabet}`, content: random.pick([whole, ...forms]) };
        }
  for (const [name, encode] of encodings)
    for (const sizeBytes of largeSizes)
      yield { what: `large ${name}`, content: fill(encode(random.pick(alphabets)), sizeBytes - (sizeBytes % 180)) };
  yield* listControlled(random);
}

function breakIn(random: Random, content: Buffer): Buffer {
  const broken = Buffer.from(content);
  if (broken.length > 0) broken[random.below(broken.length)] = random.pick([0, 0xff, 0xc3, 0x80, 0x01, 0xd8]);
  return broken;
}

/** Around the share of control characters that a text may have, at the end and at the end of each window. */
function* listControlled(random: Random): Generator<Sample> {
  for (const share of [6, 50])
    for (const [name, encode] of encodings.slice(0, 3))
      for (const total of [60, 600, 6000, windowBytes, windowBytes + 6, 3 * windowBytes])
        for (const more of [-1, 0, 1]) {
          const controls = Math.floor(total / share) + more;
          const [first, second] = ['\u0001'.repeat(Math.max(0, controls)), 'a'.repeat(total - Math.max(0, controls))];
          const text = random.below(2) === 0 ? first + second : second + first;
          yield { what: `${controls} controls in ${name}`, content: encode(text) };
        }
}

/** Bytes of no known type, and such that nearly are one. */
export function* listBinaries(random: Random): Generator<Sample> {
  for (const sizeBytes of [...sizes, ...largeSizes.slice(0, 1)])
    for (let count = 0; count < 6; count += 1) {
      const noise = random.bytes(sizeBytes);
      yield { what: 'noise', content: noise };
      yield { what: 'noise behind a zero', content: Buffer.concat([Buffer.from([0x10, 0]), noise]) };
      yield { what: 'noise behind a mark', content: Buffer.concat([Buffer.from([0xff, 0xfe, 0x41, 0]), noise]) };
      yield { what: 'noise without a zero', content: noise.map((byte) => byte || 1) };
      yield { what: 'small numbers', content: noise.map((byte, index) => (index % 4 === 0 ? byte & 15 : 0)) };
      yield { what: 'text with zeros', content: noise.map((byte) => (byte % 9 === 0 ? 0 : 0x61 + (byte % 26))) };
      yield { what: 'noise behind text', content: Buffer.concat([fill(Buffer.from('text '), windowBytes), noise]) };
      yield {
        what: 'one broken byte behind text',
        content: Buffer.concat([fill(Buffer.from('text '), windowBytes + 9), Buffer.from([0xff])]),
      };
    }
}
