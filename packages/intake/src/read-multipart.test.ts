import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUNDARY, CONTENT_TYPE, chunksOf, fieldOf, fileOf, formOf, partOf } from './__fixtures__/multipart-bodies.ts';
import { readMultipart } from './read-multipart.ts';

const limits = { maxFileBytes: 10_000_000 };

async function readForm(body: Uint8Array, chunkBytes?: number) {
  const { fields, file } = await readMultipart({ body: chunksOf(body, chunkBytes), contentType: CONTENT_TYPE, limits });
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream) chunks.push(chunk);
  await file.finished;
  const { filename, declaredMimeType } = file;
  return { fields, filename, declaredMimeType, bytes: Buffer.concat(chunks) };
}

describe('multipart upload', () => {
  it('gives the fields, then the file [AT-16]', async () => {
    const bytes = randomBytes(300_000);
    const form = formOf(fieldOf('source', 'clipboard'), fieldOf('name', 'Ünder the sea'), fileOf(bytes));
    const read = await readForm(form);
    expect(read.bytes.equals(bytes)).toBe(true);
    expect(read).toMatchObject({
      fields: { source: 'clipboard', name: 'Ünder the sea' },
      filename: 'photo.png',
      declaredMimeType: 'image/png',
    });
  });

  it('reads the same however the body is cut, boundary look-alikes included', async () => {
    const tricky = fc.array(fc.constantFrom('\r\n', '--', `\r\n--${BOUNDARY.slice(0, -1)}`, 'x', '\0', '\r'));
    await fc.assert(
      fc.asyncProperty(tricky, fc.integer({ min: 1, max: 90 }), async (pieces, chunkBytes) => {
        const content = pieces.join('');
        const { bytes, fields } = await readForm(formOf(fieldOf('name', 'n'), fileOf(content)), chunkBytes);
        expect([bytes.toString(), fields]).toEqual([content, { name: 'n' }]);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['base64', 'quoted-printable', 'x-uuencode', 'BASE64'])('refuses a file in %s', async (encoding) => {
    const headers = [
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      `Content-Transfer-Encoding: ${encoding}`,
    ];
    await expect(readForm(formOf(partOf(headers, 'aGVsbG8=')))).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
  });

  it('takes a file that says it is binary', async () => {
    const headers = [
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      'Content-Transfer-Encoding: binary',
    ];
    expect((await readForm(formOf(partOf(headers, 'hello')))).bytes.toString()).toBe('hello');
  });

  it('takes a Node stream too, and a file of no bytes for what it is [AT-16]', async () => {
    const body = Readable.from([formOf(fileOf(''))]);
    const { file, fields } = await readMultipart({ body, contentType: CONTENT_TYPE, limits });
    for await (const chunk of file.stream) expect(chunk).toHaveLength(0);
    await file.finished;
    expect(fields).toEqual({});
  });

  it('takes fields of up to 1 KiB', async () => {
    const { fields } = await readForm(formOf(fieldOf('name', 'n'.repeat(1024)), fileOf('x')));
    expect(fields.name).toHaveLength(1024);
  });

  it('gives the file before the body has ended, and holds the sender back [S14]', async () => {
    let sentBytes = 0;
    async function* slowlyRead() {
      for await (const chunk of chunksOf(formOf(fileOf(randomBytes(5_000_000))))) {
        sentBytes += chunk.length;
        yield chunk;
      }
    }
    const { file } = await readMultipart({ body: slowlyRead(), contentType: CONTENT_TYPE, limits });
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(sentBytes).toBeLessThan(600_000);
    let readBytes = 0;
    for await (const chunk of file.stream) readBytes += chunk.length;
    expect(readBytes).toBe(5_000_000);
  });

  it.each([
    ['a quoted name', 'filename="a \\"b\\".png"', 'a "b".png'],
    ['two names', 'filename="first.png"; filename="second.png"', 'first.png'],
    ['an extended name', 'filename="a.png"; filename*=UTF-8\'\'%e2%82%ac.png', '€.png'],
    ['an extended name in Latin-1', "filename*=iso-8859-1'en'%A3.png", '£.png'],
    ['UTF-8 as it is', `filename="${Buffer.from('日本.png').toString('latin1')}"`, '日本.png'],
    ['Latin-1 as it is', 'filename="caf\xe9 \x80.png"', 'café €.png'],
    ['a path', 'filename="../../etc/passwd"', 'passwd'],
    ['a Windows path', 'filename="C:\\\\fakepath\\\\a.png"', 'a.png'],
    ['an option', 'filename="--settings=x"', '--settings=x'],
    ['an empty name', 'filename=""', undefined],
    ['line ends in escapes', "filename*=UTF-8''a%0d%0aSet-Cookie%3Ax.png", 'a\r\nSet-Cookie:x.png'],
  ])('takes %s as the label of a file and nothing more [S7 S9]', async (_what, parameters, expected) => {
    const headers = [
      `Content-Disposition: form-data; name="file"; ${parameters}`,
      'Content-Type: application/octet-stream',
    ];
    const { filename, bytes } = await readForm(formOf(partOf(headers, 'content')));
    expect([filename, bytes.toString()]).toEqual([expected, 'content']);
  });
});
