// hosted: every – bytes come from an S3 store, also in ranges
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { waitForPreview } from '../steps/wait-for-preview.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

type Uploaded = { id: string; url: string };

async function uploadReady(bytes: Uint8Array<ArrayBuffer>, name: string, type: string): Promise<Uploaded> {
  const { api } = stack;
  const { session } = await api.createSession();
  const { attachment, displayUrl } = await api.upload(session.id, bytes, { name, type });
  const { id } = await api.inspected(attachment.id);
  return { id, url: displayUrl };
}

const picture = makePng(50, 50);
const uploadPicture = () => uploadReady(picture, 'picture.png', 'image/png');

async function sign(id: string, body: Record<string, unknown>): Promise<string> {
  const answer = await stack.api.call('POST', `/attachments/${id}/urls`, { body });
  expect(answer.status).toBe(201);
  return String(answer.body.url);
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
};

describe('a signed URL', () => {
  it('needs no credential and answers the bytes with careful headers [AT-19 AT-22 AT-23]', async () => {
    const { url } = await uploadPicture();
    const { status, headers, bytes } = await read(url);
    expect([status, bytes]).toEqual([200, picture]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'content-disposition': expect.stringMatching(/^inline; filename="picture.png"/),
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('outlives the session, and lasts for years unless it is told otherwise [AT-26]', async () => {
    const { id, url } = await uploadPicture();
    const { body } = await stack.api.call('GET', `/attachments/${id}`);
    const { sessionId } = body.attachment as { sessionId: string };
    expect((await stack.api.call('POST', `/sessions/${sessionId}/end`)).status).toBe(202);
    expect((await read(url)).status).toBe(200);
    const lifeYears = (Number(new URL(url).searchParams.get('exp')) - Date.now() / 1000) / (365 * 24 * 3600);
    expect(lifeYears).toBeCloseTo(10, 1);
    const short = new URL(await sign(id, { ttlSeconds: 60 }));
    expect(Number(short.searchParams.get('exp')) - Date.now() / 1000).toBeLessThanOrEqual(60);
  });

  it('is the same when it is asked for again, so that a browser has it; an upload’s is that too', async () => {
    // A window may end between two requests, but not each time.
    const readTwice = async () => {
      const { id, url } = await uploadPicture();
      const [first, second] = [await sign(id, {}), await sign(id, {})];
      return [first === url, second === url];
    };
    await expect.poll(readTwice, { timeout: 30_000 }).toEqual([true, true]);
  });

  it('is never kept by a browser for longer than it lives, nor without asking if what is behind it may change', async () => {
    const { id } = await uploadPicture();
    const short = await read(await sign(id, { ttlSeconds: 60 }));
    const [, maxAge] = /^private, max-age=(\d+), immutable$/.exec(short.headers.get('cache-control') ?? '') ?? [];
    expect(Number(maxAge)).toBeLessThanOrEqual(60);
    const { url } = await uploadReady(new Uint8Array(Buffer.from('a text')), 'a.txt', 'text/plain');
    const text = await read(url);
    expect(text.headers.get('cache-control')).toBe('private, no-cache');
    const again = await read(url, { 'if-none-match': String(text.headers.get('etag')) });
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    // Somebody may still name an encoding in which it is a text.
    const unknown = await uploadReady(
      new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 14, 15]),
      'a',
      'application/octet-stream',
    );
    expect((await read(unknown.url)).headers.get('cache-control')).toBe('private, no-cache');
  });

  it('answers HEAD with the headers of GET and no body [AT-22]', async () => {
    const { url } = await uploadPicture();
    const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
    expect(head.status).toBe(200);
    for (const name of ['content-length', 'content-type', 'etag', 'content-disposition'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    expect(await head.text()).toBe('');
  });

  it('shows or saves as it was signed, under a name that is one safe line [AT-22 S9]', async () => {
    const name = 'ein "Bild"\r\nX-Evil: 1 ✓.png';
    const { id } = await uploadReady(picture, name, 'image/png');
    const { headers } = await read(await sign(id, { disposition: 'attachment' }));
    const disposition = String(headers.get('content-disposition'));
    expect(disposition).toMatch(/^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[A-Za-z0-9._~%-]+$/);
    expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toContain('✓.png');
    expect(headers.get('x-evil')).toBeNull();
  });

  it('serves a variant under the same care', async () => {
    const { id } = await uploadPicture();
    const preview = await waitForPreview(stack.api, id);
    const { status, headers, bytes } = await read(await sign(id, { variant: preview.id }));
    expect([status, bytes.length]).toEqual([200, preview.sizeBytes]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('conditions and ranges', () => {
  it('an unchanged file is not sent again [AT-22]', async () => {
    const { url } = await uploadPicture();
    const whole = String((await read(url)).headers.get('etag'));
    for (const tag of [whole, `W/${whole}`, `"other", ${whole}`, '*']) {
      const { status, bytes, headers } = await read(url, { 'if-none-match': tag });
      expect([status, bytes.length, headers.get('etag')], tag).toEqual([304, 0, whole]);
    }
    expect((await read(url, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  const size = picture.length;
  const ranges: [string, number, number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=10-10', 10, 10],
    ['bytes=20-', 20, size - 1],
    ['bytes=-5', size - 5, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
    [`bytes=5-${size * 2}`, 5, size - 1],
  ];
  for (const [range, start, end] of ranges) {
    it(`${range.replaceAll(/\d{3,}/g, 'beyond')} is a part [AT-22]`, async () => {
      const { status, headers, bytes } = await read((await uploadPicture()).url, { range });
      expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${size}`]);
      expect(bytes).toEqual(picture.slice(start, end + 1));
      expect(headers.get('content-length')).toBe(String(end - start + 1));
    });
  }

  it('a range outside is refused, and the size is told [AT-22]', async () => {
    const { url } = await uploadPicture();
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const { status, headers, bytes } = await read(url, { range });
      expect(status, range).toBe(416);
      expect(headers.get('content-range'), range).toBe(`bytes */${size}`);
      expect(JSON.parse(Buffer.from(bytes).toString()), range).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
    }
  });

  it('other units, several ranges and what is no range get the whole file; If-Range of another version too [AT-22]', async () => {
    const { url } = await uploadPicture();
    for (const headers of [
      { range: 'rows=1-2' },
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=9-3' },
      { range: 'bytes=x-y' },
      { range: 'bytes=0-1', 'if-range': '"old"' },
    ])
      expect((await read(url, headers as Record<string, string>)).bytes.length).toBe(size);
    const same = { range: 'bytes=0-1', 'if-range': String((await read(url)).headers.get('etag')) };
    expect((await read(url, same)).status).toBe(206);
  });
});

describe('what a browser might run', () => {
  const active = [
    { name: 'page.html', type: 'text/html', text: '<!doctype html><script>alert(1)</script>' },
    { name: 'drawing.svg', type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' },
    { name: 'picture.png', type: 'image/png', text: '<!doctype html><script>alert(1)</script>' },
    { name: 'unknown', type: 'application/xhtml+xml', text: '<html xmlns="http://www.w3.org/1999/xhtml"/>' },
  ];
  for (const { name, type, text } of active) {
    it(`is for download only: ${name} sent as ${type} [AT-22 A34 S10 S11]`, async () => {
      const { id } = await uploadReady(new Uint8Array(Buffer.from(text)), name, type);
      const { status, headers } = await read(await sign(id, { disposition: 'inline' }));
      expect(status).toBe(200);
      expect(headers.get('content-disposition')).toMatch(/^attachment;/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    });
  }

  it('is not shown either before it has been looked at [A34]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    await vi.waitFor(
      async () => {
        const { attachment, displayUrl } = await api.upload(session.id, makePng(3_000, 3_000));
        const disposition = (await fetch(displayUrl, { method: 'HEAD' })).headers.get('content-disposition');
        const { body } = await api.call('GET', `/attachments/${attachment.id}`);
        // Still pending after the answer: it was pending when it was given.
        expect(body.attachment).toMatchObject({ status: 'pending' });
        expect(disposition).toMatch(/^attachment;/);
      },
      { timeout: 60_000 },
    );
  });
});
