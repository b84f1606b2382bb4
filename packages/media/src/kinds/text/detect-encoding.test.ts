import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { decodeFile } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const detect = (content: string | Uint8Array) => detectEncoding(folder.write('text', content));

const russian = 'Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.';
const cp1251 = Buffer.from(
  [...russian].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0x451) return 0xb8;
    return code < 0x80 ? code : code - 0x410 + 0xc0;
  }),
);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

it('takes strict UTF-8 before anything else [RP-05]', () => {
  expect(detect('plain ASCII')).toEqual({ encoding: 'utf-8', hasByteOrderMark: false });
  expect(detect('naïve — 日本語 🙂')).toEqual({ encoding: 'utf-8', hasByteOrderMark: false });
  expect(detect(`${'x'.repeat(65_535)}é${'y'.repeat(70_000)}`)).toMatchObject({ encoding: 'utf-8' });
});

it('reads a byte order mark', () => {
  expect(detect('\ufeffmarked')).toEqual({ encoding: 'utf-8', hasByteOrderMark: true });
  expect(detect(Buffer.from('\ufeffmarked', 'utf16le'))).toEqual({ encoding: 'utf-16le', hasByteOrderMark: true });
  expect(detect(utf16be('\ufeffmarked'))).toEqual({ encoding: 'utf-16be', hasByteOrderMark: true });
});

it('knows UTF-16 without a mark by its zero bytes', () => {
  expect(detect(Buffer.from('no mark at all', 'utf16le'))).toEqual({ encoding: 'utf-16le', hasByteOrderMark: false });
  expect(detect(utf16be('no mark at all'))).toEqual({ encoding: 'utf-16be', hasByteOrderMark: false });
  expect(detect(Buffer.from(russian, 'utf16le'))).toMatchObject({ encoding: 'utf-16le' });
});

it('guesses older encodings, also when the first letter stands late in the file', () => {
  expect(detect(cp1251)).toEqual({ encoding: 'windows-1251', hasByteOrderMark: false });
  const late = Buffer.concat([Buffer.from('2026-11-21 ok\n'.repeat(20_000)), cp1251]);
  expect(detect(late)).toMatchObject({ encoding: 'windows-1251' });
  expect(detect(Buffer.from('Der Bär läuft über die Brücke, größer als je.', 'latin1'))).toMatchObject({
    encoding: 'windows-1252',
  });
});

const japanese = '日本語の文章です。漢字とかなが混ざります。\n二行目もあります。';
const chinese = '这是一个用国标编码写的中文文本，里面有一些常用的汉字和标点。\n第二行也有文字。';
const shiftJis = Buffer.from(
  '93fa967b8cea82cc95b68fcd82c582b78142' +
    '8abf8e9a82c682a982c882aa8dac82b482e882dc82b781420a' +
    '93f18d7396da82e082a082e882dc82b78142',
  'hex',
);
const gb18030 = Buffer.from(
  'd5e2cac7d2bbb8f6d3c3b9fab1eab1e0c2ebd0b4b5c4d6d0cec4cec4b1bea3acc0efc3e6d3d0d2bbd0a9b3a3d3c3b5c4' +
    'babad7d6bacdb1eab5e3a1a30ab5dab6fed0d0d2b2d3d0cec4d7d6a1a3',
  'hex',
);

const utf32 = (text: string) => Buffer.from(Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0).buffer);

it.each([
  ['UTF-16LE without a mark', Buffer.from(russian, 'utf16le'), russian],
  ['UTF-16BE without a mark', utf16be(russian), russian],
  ['Japanese in UTF-16LE without a mark', Buffer.from(japanese, 'utf16le'), japanese],
  ['Japanese in UTF-16BE without a mark', utf16be(japanese), japanese],
  ['Chinese in UTF-16BE without a mark', utf16be(chinese), chinese],
  ['Shift-JIS', shiftJis, japanese],
  ['windows-1251', cp1251, russian],
  ['GB18030', gb18030, chinese],
  ['UTF-32LE without a mark', utf32(chinese.repeat(1000)), chinese.repeat(1000)],
  ['UTF-32BE with a mark', utf32(`\ufeff${russian}`).swap32(), russian],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${japanese}`), japanese],
])('decodes what it has detected: %s [SR-14 RP-08]', (_, content, text) => {
  const path = folder.write('decoded', content);
  const encoding = detectEncoding(path)?.encoding ?? '';
  expect([...decodeFile(path, encoding)].join('')).toBe(text);
});

describe('what is not text', () => {
  it.each([
    ['zero bytes', Buffer.alloc(64)],
    ['small numbers', Buffer.from([0, 1, 2, 3, 0, 0, 7, 1])],
    ['a UTF-8 mark before bytes that are not', Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0xff])],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41, 0, 0x42])],
    ['text with a zero in it', Buffer.from('abc\0def')],
    [
      'samples of sound',
      Buffer.from(Int16Array.from({ length: 400 }, (_, index) => 9000 * Math.sin(index / 9)).buffer),
    ],
    ['noise', Buffer.from(Array.from({ length: 4000 }, (_, index) => ((index * 7919) ^ (index >> 3)) & 0xff))],
    ['text whose last piece is broken', Buffer.concat([Buffer.from('a'.repeat(70_000)), Buffer.from([0, 0xff])])],
  ])('is seen: %s', (_, content) => {
    expect(detect(content)).toBeUndefined();
  });
});
