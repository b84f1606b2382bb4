import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sniffMediaType } from './sniff-media-type.ts';

const sniff = (text: string) => sniffMediaType(Buffer.from(text, 'latin1'));
const box = (brand: string, ...compatible: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * compatible.length)}ftyp${brand}\0\0\0\0${compatible.join('')}\0\0\0\x08free`;
const ogg = (codec: string) => `OggS\0\x02${'\0'.repeat(20)}\x01\x1e${codec}`;
const zip = (name: string, rest = '') => `PK\x03\x04${'\0'.repeat(26)}${name}${rest}`;
const utf16 = (text: string) => `\xff\xfe${Buffer.from(text, 'utf16le').toString('latin1')}`;

describe('sniffed media type', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['image/gif', 'GIF89a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['image/bmp', 'BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'],
    ['image/tiff', 'II*\0\x08\0\0\0'],
    ['image/tiff', 'MM\0*\0\0\0\x08'],
    ['image/avif', box('avif')],
    ['image/avif', box('mif1', 'miaf', 'avif')],
    ['image/heic', box('heic')],
    ['image/heic', box('mif1', 'mif1', 'heic')],
    ['image/heif', box('mif1', 'mif1')],
    ['application/pdf', '%PDF-1.7\n'],
    ['application/pdf', 'Content-Type: application/pdf\r\n\r\n%PDF-1.4\r\n%\xe2\xe3\xcf\xd3\r\n1 0 obj\r\n<</A 1>>'],
    ['application/pdf', '\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n%PDF-1.7 \n\n% made by hand\n12 0 obj<</A 1>>'],
    ['application/pdf', `${'\x93'.repeat(1024)}%PDF-1.7\n1 0 obj\n[1]`],
    ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\x20tEXt\n%PDF-1.4\n1 0 obj\n<<'],
    ['image/jpeg', '\xff\xd8\xff\xfe\0\x20\n%PDF-1.4\n1 0 obj\n<<'],
    ['application/zip', zip('a.pdf', '\n%PDF-1.4\n1 0 obj\n<<')],
    ['text/html', '<html>\n%PDF-1.4\n1 0 obj\n<<'],
    ['application/zip', zip('a.txt')],
    ['application/zip', 'PK\x05\x06\0\0'],
    ['application/epub+zip', zip('mimetype', 'application/epub+zipPK\x03\x04')],
    ['application/vnd.oasis.opendocument.text', zip('mimetype', 'application/vnd.oasis.opendocument.textPK')],
    ['application/zip', zip('mimetype', 'application/javascript')],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', zip('[Content_Types].xml', 'PK..xl/a.xml')],
    ['application/gzip', '\x1f\x8b\x08\0'],
    ['audio/mpeg', 'ID3\x04\0\0'],
    ['audio/mpeg', `ID3\x04\0\0\0\0\x7f\x7f${'\0'.repeat(90)}`],
    ['audio/mp2', `ID3\x04\0\0\0\0\x01\x02${'\0'.repeat(130)}\xff\xfd\x84\xc0`],
    ['audio/mpeg', '\xff\xfb\x90\x64'],
    ['audio/mp2', '\xff\xfd\x84\xc0'],
    ['audio/mp1', '\xff\xff\x44\xc0'],
    ['audio/aac', '\xff\xf1\x50\x80'],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['video/mpeg', 'RIFF\x24\0\0\0CDXAfmt '],
    ['audio/flac', 'fLaC\0\0\0\x22'],
    ['audio/ogg', ogg('OpusHead')],
    ['video/ogg', ogg('\x80theora')],
    ['audio/mp4', box('M4A ')],
    ['video/mp4', box('isom', 'iso2', 'mp41')],
    ['video/quicktime', box('qt  ')],
    ['video/quicktime', '\0\0\x10\0moov\0\0\0\x6cmvhd'],
    ['video/webm', '\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm'],
    ['video/x-matroska', '\x1aE\xdf\xa3\x9fB\x82\x88matroska'],
    ['application/x-elf', '\x7fELF\x02\x01\x01'],
    ['application/wasm', '\0asm\x01\0\0\0'],
    ['application/vnd.microsoft.portable-executable', `MZ${'\0'.repeat(58)}\x40\0\0\0PE\0\0`],
    ['text/html', '<!DOCTYPE html><p>'],
    ['text/html', '\xef\xbb\xbf \r\n<!-- > --><!----><HTML lang=en>'],
    ['text/html', utf16('<script>alert(1)</script>')],
    ['application/xhtml+xml', '<?xml version="1.0"?><html xmlns="x">'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['image/svg+xml', '<?xml version="1.0"?>\n<!-- drawn by hand -->\n<!DOCTYPE svg PUBLIC "x">\n<svg>'],
    ['image/svg+xml', '<?xml version="1.0"?><x:svg xmlns:x="http://www.w3.org/2000/svg">'],
    ['application/xml', '<?xml version="1.0"?><note>'],
  ])('is %s for %j', (expected, text) => {
    expect(sniff(text)).toBe(expected);
  });

  it.each([
    '',
    'hello',
    'BMW builds cars, and this is a text about them.',
    'MZ is not always a program.',
    'ID3 tags hold the title.',
    'the free software definition',
    'BZh is how it begins',
    'RIFF raff',
    'a %PDF- in a text',
    `${'\x93'.repeat(1025)}%PDF-1.7\n1 0 obj\n[1]`,
    '10:04 GET /a.pdf\n%PDF-1.4\n10:05 1 0 objects found',
    '# How it begins\n\n%PDF-1.4 is a header\n1 0 obj is an object\n',
    'const header = "%PDF-1.4\\n1 0 obj\\n<<";',
    '{"content":"%PDF-1.7\\r\\n1 0 obj <</A 1>>"}',
    'Subject: %PDF-1.4\n\n1 0 obj\n',
    '\0\x93\x01%PDF-1.4\0%PDF-1.5\0',
    'a < b and b > c',
    '<name>@example.org wrote',
    '<htmlish',
    '# Title\n\n<html>',
    '<!-- never closed <html>',
    utf16('plain text'),
    '\xfe\xff\0h\0i',
    '{"a":1}',
    '\xff',
    // Layer I with a checksum, or a text in UTF-16.
    '\xff\xfe\x44\xc0',
  ])('is unknown for %j', (text) => {
    expect(sniff(text)).toBeUndefined();
  });

  it('never throws and looks at the head only', () => {
    const starts = fc.constantFrom(
      '',
      '\0\0\0\x18ftyp',
      'RIFF',
      'OggS\0',
      'PK\x03\x04',
      'MZ',
      '<',
      '<?xml ',
      '<!--',
      'BM',
    );
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const head = Buffer.concat([Buffer.from(start, 'latin1'), rest]);
        const sniffed = sniffMediaType(head);
        expect(sniffed ?? 'a/b').toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
        const padded = Buffer.concat([head, Buffer.alloc(4100 - head.length, 0xaa)]);
        expect(sniffMediaType(Buffer.concat([padded, rest]))).toBe(sniffMediaType(padded));
      }),
    );
  });

  it('takes a hostile head in its stride', () => {
    expect(sniff('<!-- -->'.repeat(600))).toBeUndefined();
    expect(sniff(`<?xml ${'<?'.repeat(2000)}`)).toBe('application/xml');
    expect(sniff(`<${'a'.repeat(5000)}>`)).toBeUndefined();
    expect(sniff('a%PDF-1.4\n'.repeat(500))).toBeUndefined();
  });
});
