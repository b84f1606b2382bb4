import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { buildPdf, buildPdfOf, buildStream } from '../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../inspect-file.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const mimeType = 'application/pdf';
const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../worker/__fixtures__/${name}`, import.meta.url)));

function inspect(content: string | Uint8Array) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: content.length, maxPixels: 1_000_000 });
}

const rejected = (code: string) => ({ status: 'rejected', mimeType, problem: { code } });

describe('facts of a PDF', () => {
  it('are its pages and how much text it has [SR-14]', async () => {
    const textBytes = Buffer.byteLength('--- page 1 ---\nOne\nTwo\n--- page 2 ---\n--- page 3 ---\nThr\u00e9e\n');
    const pdf = buildPdf([['One', 'Two'], [], ['Thr\u00e9e']]);
    expect(await inspect(pdf)).toEqual({ status: 'ready', mimeType, facts: { pages: 3, textBytes }, warnings: [] });
  });

  it('say where it has no text of its own', async () => {
    expect(await inspect(buildPdf([[], ['  ']]))).toMatchObject({ facts: { pages: 2, textBytes: 0 } });
  });

  it('say nothing of the text where there is too much to look at [S16]', async () => {
    const manyPages = buildPdf(Array.from({ length: 5000 }, (_, index) => [`Page ${index + 1}`]));
    expect(await inspect(manyPages)).toEqual({ status: 'ready', mimeType, facts: { pages: 5000 }, warnings: [] });
    // The sign of the Euro: three bytes of text each.
    const line = '\x80'.repeat(90);
    const muchText = buildPdf(Array.from({ length: 2 }, () => Array.from({ length: 16_000 }, () => line)));
    expect(await inspect(muchText)).toEqual({ status: 'ready', mimeType, facts: { pages: 2 }, warnings: [] });
  });

  it('are found behind blanks, and before what transports append', async () => {
    const padded = Buffer.concat([Buffer.from('\n\n  '), buildPdf([['a']]), Buffer.alloc(5000)]);
    expect(await inspect(padded)).toMatchObject({ status: 'ready', mimeType, facts: { pages: 1 } });
  });
});

describe('a PDF behind something else', () => {
  const pdf = buildPdf([['One'], ['Two']]);
  const facts = { pages: 2, textBytes: Buffer.byteLength('--- page 1 ---\nOne\n--- page 2 ---\nTwo\n') };
  const job = '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n';
  const bytes = Buffer.from(Array.from({ length: 1024 }, (_, index) => (index * 151 + 7) & 0xff)).toString('latin1');

  it.each([
    ['the header of a mail', 'MIME-Version: 1.0\r\nContent-Type: application/pdf\r\n\r\n', '--boundary--\r\n'],
    ['a line of a mailbox', 'From sender@example.org Mon Jan  1 00:00:00 2024\n', ''],
    ['the commands of a printer', job, '\x1b%-12345X@PJL EOJ\r\n\x1b%-12345X'],
    ['the header of HTTP', 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n', '\0\0\n'],
    ['1024 letters', 'x'.repeat(1024), ''],
    ['1024 bytes of any kind', bytes, ''],
  ])('is read: %s [SR-14]', async (_, before, after) => {
    const content = Buffer.concat([Buffer.from(before, 'latin1'), pdf, Buffer.from(after, 'latin1')]);
    expect(await inspect(content)).toEqual({ status: 'ready', mimeType, facts, warnings: [] });
  });

  it.each([
    ['a log that mentions one', 'read a.pdf\n%PDF-1.4\n2 pages, 1 0 obj\n%%EOF\n'],
    ['a source that holds one', `export const sample = \`\n${pdf.toString()}\`;\n`],
    ['a guide that shows one', `# A small PDF\n\n\`\`\`\n${pdf.toString()}\`\`\`\n`],
    ['JSON that quotes one', JSON.stringify({ content: pdf.toString() })],
  ])('is no PDF: %s [RP-05]', async (_, content) => {
    expect(await inspect(content)).toMatchObject({ status: 'ready', mimeType: 'text/plain' });
  });

  it.each([
    ['a log', '%PDF-1.4\nis how the file began that broke the build\nsecond line\n'],
    ['a log with the end of one', '%PDF-1.4\nis how the file began, and so it ended:\n%%EOF\n'],
    [
      'a guide in Greek',
      '\n%PDF-1.4 \u2013 \u03b7 \u03b1\u03c1\u03c7\u03ae\n\n# \u03a3\u03b7\u03bc\u03b5\u03b9\u03ce\u03c3\u03b5\u03b9\u03c2\n',
    ],
    ['a long log', `%PDF-1.4 was read\n${'the next line of it\n'.repeat(10_000)}`],
  ])('is none where only its first line is that of one: %s [RP-05]', async (_, content) => {
    expect(await inspect(content)).toMatchObject({ status: 'ready', mimeType: 'text/plain' });
  });

  it.each([
    ['its header', '%PDF-1.4\n'],
    ['its header and a comment', '%PDF-1.4\n% made by hand\n'],
    ['its first object', pdf.subarray(0, 60)],
    ['an object far behind', `%PDF-1.4\nwords\n${' '.repeat(200_000)}1 0 obj\n<<>>\nendobj\n`],
  ])('is rejected where all that is left of it is %s [DL-37]', async (_, content) => {
    expect(await inspect(content)).toMatchObject(rejected('attachment_corrupt'));
  });

  it('is rejected where it is cut off, unless all of it is text [DL-37]', async () => {
    const cut = Buffer.concat([Buffer.from('\x93\xfe\x00\n', 'latin1'), pdf.subarray(0, -40)]);
    expect(await inspect(cut)).toMatchObject(rejected('attachment_corrupt'));
  });
});

describe('a PDF that is protected', () => {
  it.each(['password-aes.pdf', 'password-rc4.pdf'])(
    'is rejected where a password opens it: %s [DL-37]',
    async (name) => {
      expect(await inspect(fixture(name))).toMatchObject(rejected('attachment_encrypted'));
    },
  );

  it('is read where the password only forbids changes', async () => {
    const textBytes = Buffer.byteLength('--- page 1 ---\nSecret plan\n');
    expect(await inspect(fixture('owner-password.pdf'))).toMatchObject({ facts: { pages: 1, textBytes } });
  });
});

const catalog = '<</Type/Catalog/Pages 2 0 R>>';
const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>';

describe('a PDF that is broken', () => {
  it('is rejected wherever it is cut off [DL-37 S17]', async () => {
    const pdf = buildPdf([['One'], ['Two'], ['Three']]);
    for (let length = 8; length < pdf.length - 6; length += 13) {
      expect(await inspect(pdf.subarray(0, length))).toMatchObject(rejected('attachment_corrupt'));
    }
  });

  it.each([
    ['garbage behind its header', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(4000, 0xa7)])],
    ['no pages', buildPdfOf([catalog, '<</Type/Pages/Count 0/Kids[]>>'])],
    ['a page tree that holds itself', buildPdfOf([catalog, '<</Type/Pages/Count 2/Kids[2 0 R 2 0 R]>>'])],
    ['more pages claimed than there are', buildPdfOf([catalog, '<</Type/Pages/Count 3/Kids[3 0 R]>>', page])],
    ['a million pages claimed', buildPdfOf([catalog, '<</Type/Pages/Count 1000000/Kids[3 0 R]>>', page])],
  ])('is rejected: %s [DL-37 S17]', async (_, pdf) => {
    expect(await inspect(pdf)).toMatchObject(rejected('attachment_corrupt'));
  });

  it('always gets an outcome, whichever byte is wrong [S17]', async () => {
    const pdf = buildPdf([['One'], ['Two']]);
    for (let index = 9; index < pdf.length; index += 11) {
      const wrong = Buffer.from(pdf);
      wrong[index] = (wrong[index] ?? 0) ^ 0x15;
      expect(['ready', 'rejected']).toContain((await inspect(wrong)).status);
    }
  });
});

describe('a PDF made to exhaust its reader', () => {
  const kids = '<</Type/Pages/Count 1/Kids[3 0 R]>>';
  const xObject = '/Resources<</XObject<</F 4 0 R>>>>';
  const withContent = (content: string, entries = '') => [
    catalog,
    kids,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R${entries}>>`,
    buildStream(content, `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${entries}`),
  ];
  it.each([
    ['a table of objects that comes before itself', buildPdfOf([catalog, kids, page], '/Prev 300')],
    ['a drawing that draws itself', buildPdfOf(withContent('/F Do', xObject))],
    ['half a million nested states', buildPdfOf(withContent('q '.repeat(500_000)))],
    ['arrays in arrays', buildPdfOf([catalog, kids, page.replace('>>', `/X ${'['.repeat(200_000)}>>`)])],
  ])('gets an outcome: %s [S16 S17]', async (_, pdf) => {
    expect(['ready', 'rejected']).toContain((await inspect(pdf)).status);
  });
});
