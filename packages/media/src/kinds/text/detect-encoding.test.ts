import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { decodeFile } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const detect = async (content: string | Uint8Array) => (await detectEncoding(folder.write('text', content))).facts;

const russian = 'Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.';
const cp1251 = Buffer.from(
  [...russian].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0x451) return 0xb8;
    return code < 0x80 ? code : code - 0x410 + 0xc0;
  }),
);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

it('takes strict UTF-8 before anything else [RP-05]', async () => {
  expect(await detect('plain ASCII')).toEqual({ encoding: 'utf-8', hasByteOrderMark: false });
  expect(await detect('naïve — 日本語 🙂')).toEqual({ encoding: 'utf-8', hasByteOrderMark: false });
  expect(await detect(`${'x'.repeat(65_535)}é${'y'.repeat(70_000)}`)).toMatchObject({ encoding: 'utf-8' });
});

it('reads a byte order mark', async () => {
  expect(await detect('\ufeffmarked')).toEqual({ encoding: 'utf-8', hasByteOrderMark: true });
  expect(await detect(Buffer.from('\ufeffmarked', 'utf16le'))).toEqual({
    encoding: 'utf-16le',
    hasByteOrderMark: true,
  });
  expect(await detect(utf16be('\ufeffmarked'))).toEqual({ encoding: 'utf-16be', hasByteOrderMark: true });
});

it('knows UTF-16 without a mark by its zero bytes', async () => {
  expect(await detect(Buffer.from('no mark at all', 'utf16le'))).toEqual({
    encoding: 'utf-16le',
    hasByteOrderMark: false,
  });
  expect(await detect(utf16be('no mark at all'))).toEqual({ encoding: 'utf-16be', hasByteOrderMark: false });
  expect(await detect(Buffer.from(russian, 'utf16le'))).toMatchObject({ encoding: 'utf-16le' });
});

it('guesses older encodings, also when the first letter stands late in the file', async () => {
  expect(await detect(cp1251)).toEqual({ encoding: 'windows-1251', hasByteOrderMark: false });
  const late = Buffer.concat([Buffer.from('2026-11-21 ok\n'.repeat(20_000)), cp1251]);
  expect(await detect(late)).toMatchObject({ encoding: 'windows-1251' });
  expect(await detect(Buffer.from('Der Bär läuft über die Brücke, größer als je.', 'latin1'))).toMatchObject({
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
])('decodes what it has detected: %s [SR-14 RP-08]', async (_, content, text) => {
  const path = folder.write('decoded', content);
  const { facts } = await detectEncoding(path);
  expect([...decodeFile(path, facts?.encoding ?? '')].join('')).toBe(text);
});

describe('what is not text', () => {
  it.each([
    ['zero bytes', Buffer.alloc(64)],
    ['small numbers', Buffer.from([0, 1, 2, 3, 0, 0, 7, 1])],
    ['a UTF-8 mark before bytes that are not', Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0xff])],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41, 0, 0x42])],
    ['text with a zero in it', Buffer.from('abc\0def')],
    ['names that zeros end', Buffer.from('a/b/c.txt\0d/e/f.txt\0'.repeat(40))],
    [
      'samples of sound',
      Buffer.from(Int16Array.from({ length: 400 }, (_, index) => 9000 * Math.sin(index / 9)).buffer),
    ],
    ['noise', Buffer.from(Array.from({ length: 4000 }, (_, index) => ((index * 7919) ^ (index >> 3)) & 0xff))],
  ])('is seen: %s', async (_, content) => {
    expect(await detect(content)).toBeUndefined();
  });
});

const logLine = '2026-11-20 10:00:01 INFO request 7 ok, nothing else to say\n';
const plainLog = Buffer.from(logLine.repeat(300));
const cyrillic = Buffer.from(`${russian}\n`.repeat(20));

describe('text with a few bytes that are none stays text [BX-29]', () => {
  const insert = (text: Buffer, at: number, ...bytes: number[]) =>
    Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at)]);

  it.each<[string, Buffer, object]>([
    ['a zero', insert(plainLog, 9000, 0), { replaced: 1 }],
    ['a block of zeros', insert(plainLog, 9000, ...Buffer.alloc(4096)), { replaced: 1 }],
    ['half a character at its start', cyrillic.subarray(1), { replaced: 1 }],
    ['half a character at its end', cyrillic.subarray(0, -3), { replaced: 1 }],
    ['broken bytes in a line', insert(cyrillic, cyrillic.length - 1, 0xff, 0xfe), { replaced: 2 }],
    [
      'broken bytes late in a long text',
      insert(Buffer.concat(Array(40).fill(cyrillic)), 39 * cyrillic.length, 0xff),
      { replaced: 1 },
    ],
    [
      'a line in Latin-1',
      Buffer.concat([cyrillic, Buffer.from('Caf\xe9 M\xfcller;12\n', 'latin1'), cyrillic]),
      {
        replaced: 0,
        otherLines: 1,
        linesAs: 'windows-1252',
      },
    ],
    [
      'a letter in another encoding',
      Buffer.concat([cyrillic, cp1251, Buffer.from('\n'), cyrillic]),
      {
        replaced: 0,
        otherLines: 1,
        linesAs: 'windows-1251',
      },
    ],
  ])('%s', async (_, content, textFaults) => {
    expect(await detect(content)).toEqual({ encoding: 'utf-8', hasByteOrderMark: false, textFaults });
  });

  it('in UTF-16: half a pair, half a character at its end', async () => {
    const text = Buffer.from(`\ufeff${russian.repeat(9)}`, 'utf16le');
    expect(await detect(insert(text, 100, 0, 0xd8))).toMatchObject({
      encoding: 'utf-16le',
      textFaults: { replaced: 1 },
    });
    expect(await detect(insert(text, text.length, 0x41))).toMatchObject({ textFaults: { replaced: 1 } });
  });

  it('in an older encoding: a zero', async () => {
    const text = Buffer.concat([cp1251, cp1251, Buffer.from([0]), cp1251]);
    expect(await detect(text)).toMatchObject({ encoding: 'windows-1251', textFaults: { replaced: 1 } });
  });

  it('but not where there are more than a few', async () => {
    expect(await detect(insert(Buffer.from(logLine), 9, 0, 0x41, 0))).toBeUndefined();
  });
});

it('a byte order mark alone is an empty text', async () => {
  expect(await detect(Buffer.from([0xef, 0xbb, 0xbf]))).toEqual({ encoding: 'utf-8', hasByteOrderMark: true });
  expect(await detect(Buffer.alloc(0))).toBeUndefined();
});

describe('an encoding that nothing here decodes is named [BX-29]', () => {
  // "고객님의 주문은 어제 저녁에 발송되었습니다." and "请再次输入密码，然后继续操作。"
  it.each([
    ['Johab', '89a1888293b1b78120ba81a285b76520b4e1b94120b8e19162b54120a469adb79641b4f6af7393a194612e0a'],
    [
      'ISO-2022-KR',
      '1b2429430e306d3034345440470f200e4156392e403a0f200e3e6e41260f200e407a33613f210f200e395f3c5b35473e7a3d40344f34590f2e0a',
    ],
    ['HZ-GB-2312', '7e7b476b5459344e4a64486b435c426b232c483b3a733c4c50783259577721237e7d0a'],
  ])('%s', async (name, hex) => {
    const found = await detectEncoding(folder.write('text', Buffer.from(hex, 'hex')));
    expect(found).toMatchObject({ warnings: [{ code: 'encoding_uncertain', runnerUp: name }] });
    expect(found.facts).toBeUndefined();
  });
});

describe('a text goes with doubt [BX-29]', () => {
  const unsure = async (content: Buffer) => (await detectEncoding(folder.write('text', content))).warnings;

  it('with UTF-8 and Latin-1 in one line', async () => {
    const line = Buffer.concat([Buffer.from('Benutzer Jürgen meldet: '), Buffer.from('gr\xf6\xdfer\n', 'latin1')]);
    const warnings = await unsure(Buffer.concat(Array.from({ length: 30 }, () => line)));
    expect(warnings).toMatchObject([{ code: 'encoding_uncertain' }]);
  });

  it('with a few letters that no language has in that order', async () => {
    expect(await unsure(Buffer.from('NX\xb5\xb6Q;ZZ\xb7W\nplain\n', 'latin1'))).toMatchObject([
      { code: 'encoding_uncertain' },
    ]);
  });

  it('that names ISO-2022-CN, which nothing here decodes', async () => {
    const chinese = Buffer.from('\x1b$)A\x0e<r5%\x0f and more\n', 'latin1');
    expect(await unsure(chinese)).toMatchObject([{ runnerUp: 'ISO-2022-CN' }]);
  });
});

it('half a character at the end of one line costs nothing else [BX-29]', async () => {
  expect(await detect(Buffer.concat(Array(9).fill(shiftJis)).subarray(0, -1))).toMatchObject({
    encoding: 'shift_jis',
    textFaults: { replaced: 1 },
  });
  const broken = Buffer.concat([gb18030, Buffer.from([0xff]), ...Array(9).fill(gb18030)]);
  expect(await detect(broken)).toMatchObject({ encoding: 'gb18030', textFaults: { replaced: 1 } });
});

it('text of UTF-16 behind text of ASCII is none', async () => {
  const log = Buffer.from('2026-11-20 10:00:01 INFO request 7 ok, nothing else to say\n'.repeat(50));
  expect(await detect(Buffer.concat([log, Buffer.from(log.toString(), 'utf16le')]))).toBeUndefined();
});
