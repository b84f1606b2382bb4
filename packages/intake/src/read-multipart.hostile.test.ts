import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOUNDARY, CONTENT_TYPE, chunksOf, fieldOf, fileOf, formOf, partOf } from './__fixtures__/multipart-bodies.ts';
import { guardSlowStream } from './guard-slow-stream.ts';
import { readChunks } from './read-chunks.ts';
import { readMultipart } from './read-multipart.ts';

const limits = { maxFileBytes: 1_000_000 };

/** Reads a body as an upload does: what is thrown, and whether the file's stream came to a regular end first. */
async function tryForm(body: AsyncIterable<Uint8Array>, contentType = CONTENT_TYPE) {
  let hasEnded = false;
  try {
    const { file } = await readMultipart({ body, contentType, limits });
    for await (const _chunk of file.stream);
    hasEnded = true;
    await file.finished;
    return { hasEnded };
  } catch (error) {
    return { hasEnded, error };
  }
}

const malformed = (text: string) => ({
  hasEnded: false,
  error: { code: 'MALFORMED_BODY', retryable: false, message: expect.stringContaining(text) },
});

const small = 'x'.repeat(100);
const large = 'x'.repeat(300_000);
const bare = 'Content-Disposition: form-data';

describe('hostile multipart bodies', () => {
  it.each([
    ['application/json', 'not multipart/form-data'],
    ['application/x-www-form-urlencoded', 'not multipart/form-data'],
    ['multipart/mixed; boundary=x', 'not multipart/form-data'],
    ['', 'not multipart/form-data'],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary', 'cannot be read'],
    ['multipart/form-data; boundary=', 'cannot be read'],
    ['multipart/form-data; charset=utf-8', 'no boundary'],
  ])('refuses the Content-Type %j [S12 S13]', async (contentType, text) => {
    expect(await tryForm(chunksOf(Buffer.from('{"files":["/etc/passwd"]}')), contentType)).toMatchObject(
      malformed(text),
    );
  });

  it.each<[string, Buffer, string]>([
    ['a second file', formOf(fileOf(small), fileOf(small)), 'more than one file'],
    ['a second file behind a large one', formOf(fileOf(large), fileOf(large)), 'more than one file'],
    ['a field behind the file', formOf(fileOf(small), fieldOf('name', 'late')), 'A field follows'],
    ['a field behind a large file', formOf(fileOf(large), fieldOf('name', 'late')), 'A field follows'],
    ['a part `files`', formOf(fileOf(small, 'files')), 'another name than `file`'],
    ['an unknown field', formOf(fieldOf('path', '/etc/passwd'), fileOf(small)), 'another name than `source`'],
    ['a field without a name', formOf(partOf([bare], 'x'), fileOf(small)), 'another name than `source`'],
    ['a field with an empty name', formOf(fieldOf('', 'x'), fileOf(small)), 'another name than `source`'],
    ['a field of a poisonous name', formOf(fieldOf('__proto__', 'x'), fileOf(small)), 'another name than `source`'],
    ['a field twice', formOf(fieldOf('name', 'a'), fieldOf('name', 'b'), fileOf(small)), 'occurs twice'],
    ['a field of 1025 bytes', formOf(fieldOf('name', 'n'.repeat(1025)), fileOf(small)), 'longer than 1024'],
    ['a file as a field', formOf(fieldOf('file', 'x')), 'no filename'],
    [
      'a field in an unknown charset',
      formOf(partOf([`${bare}; name="name"`, 'Content-Type: text/plain; charset=x-none'], 'x')),
      'unknown charset',
    ],
    ['100,000 parts', formOf(...Array(100_000).fill(fieldOf('x', ''))), 'another name than `source`'],
    ['100,000 parts without a disposition', formOf(...Array(100_000).fill(partOf(['X: y'], ''))), 'too many parts'],
    [
      'a huge part header',
      formOf(partOf([`${bare}; name="file"; filename="${'n'.repeat(20_000)}"`], small)),
      'header of a part',
    ],
    ['2,000 part headers', formOf(partOf([bare, ...Array(2000).fill('X-A: b-c-d-e')], small)), 'header of a part'],
    ['a zero byte in a header', formOf(partOf([`${bare}; name="fi\0le"`], small)), 'header of a part'],
    ['a line end in a name', formOf(partOf([`${bare}; name="fi\r\nle"`], small)), 'header of a part'],
    ['a bare line feed in a name', formOf(partOf([`${bare}; name="fi\nle"`], small)), 'header of a part'],
    ['no end', fileOf(small), 'before its closing boundary'],
    ['no end of a large file', fileOf(large), 'before its closing boundary'],
    ['an end inside a part header', Buffer.from(`--${BOUNDARY}\r\n${bare}; na`), 'before its closing boundary'],
    ['an end inside the last boundary', formOf(fileOf(small)).subarray(0, -6), 'before its closing boundary'],
    ['no bytes', Buffer.alloc(0), 'before its closing boundary'],
    ['JSON', Buffer.from('{"files":["/etc/passwd"]}'), 'before its closing boundary'],
    ['64 KiB before the first boundary', formOf(Buffer.alloc(200_000)), 'No file begins'],
  ])('refuses %s, and keeps nothing [S12 S13 AT-16]', async (_what, body, text) => {
    for (const chunkBytes of [64 * 1024, 1000]) {
      expect(await tryForm(chunksOf(body, chunkBytes))).toMatchObject(malformed(text));
    }
  });

  it.each<[string, Buffer]>([
    ['a form without parts', formOf()],
    ['a form with fields only', formOf(fieldOf('name', 'n'))],
    ['a file in an unknown charset', formOf(partOf([`${bare}; name="file"; filename*=x-none''%ff.png`], small))],
    ['a file as an attachment', formOf(partOf(['Content-Disposition: attachment; name="file"; filename="a"'], small))],
  ])('finds no file in %s [AT-16 S9]', async (_what, body) => {
    expect(await tryForm(chunksOf(body))).toMatchObject({ hasEnded: false, error: { code: 'NO_FILE' } });
  });

  it('takes a nested form as the bytes of the file [S13]', async () => {
    const nested = Buffer.from(
      '--inner\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\nb\r\n--inner--\r\n',
    );
    const headers = [`${bare}; name="file"; filename="a"`, 'Content-Type: multipart/mixed; boundary=inner'];
    const body = chunksOf(formOf(partOf(headers, nested)));
    const { file } = await readMultipart({ body, contentType: CONTENT_TYPE, limits });
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.stream) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(nested)).toBe(true);
  });

  it.each<[string, Buffer[]]>([
    ['in the file', [fileOf(Buffer.alloc(2_000_000))]],
    ['behind the file', [fileOf(small), fieldOf('name', 'n'.repeat(2_000_000))]],
  ])('reads no more than the limit allows: too much %s [AT-17 S14]', async (_where, parts) => {
    let sentBytes = 0;
    async function* counted() {
      for await (const chunk of chunksOf(formOf(...parts))) {
        sentBytes += chunk.length;
        yield chunk;
      }
    }
    expect(await tryForm(counted())).toMatchObject({ hasEnded: false, error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(sentBytes).toBeLessThan(1_200_000);
  });

  it('rethrows what breaks the body, before the file and inside it [W1]', async () => {
    const error = new Error('gone');
    async function* broken(bytes: Uint8Array) {
      yield bytes;
      throw error;
    }
    expect(await tryForm(broken(fieldOf('name', 'n')))).toEqual({ hasEnded: false, error });
    expect(await tryForm(broken(fileOf(large).subarray(0, 200_000)))).toEqual({ hasEnded: false, error });
  });

  it('lets go of the body when the reader of the file stops', async () => {
    let hasReturned = false;
    async function* watched() {
      try {
        yield* chunksOf(formOf(fileOf(large)));
      } finally {
        hasReturned = true;
      }
    }
    const { file } = await readMultipart({ body: watched(), contentType: CONTENT_TYPE, limits });
    for await (const _chunk of file.stream) break;
    await expect(file.finished).rejects.toThrow('stopped before its end');
    expect(hasReturned).toBe(true);
  });
});

describe('hostile multipart requests', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-multipart-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Serves one request with `serve` on a unix socket and sends it with `send`. */
  async function exchange<T>(serve: (incoming: IncomingMessage) => Promise<T>, send: (socketPath: string) => void) {
    const socketPath = join(folder, 's');
    const served = Promise.withResolvers<T>();
    const server = createServer((incoming, response) => {
      response.setHeader('connection', 'close');
      serve(incoming)
        .finally(() => response.end('answered'))
        .then(served.resolve, served.reject);
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    send(socketPath);
    try {
      return await served.promise;
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  const options = (socketPath: string) => ({ socketPath, method: 'POST', headers: { 'content-type': CONTENT_TYPE } });

  it('notices a client that goes away inside the file [W1]', async () => {
    const outcome = await exchange(
      (incoming) => tryForm(guardSlowStream(readChunks(incoming)), incoming.headers['content-type']),
      (socketPath) => {
        const sending = request(options(socketPath));
        sending.on('error', () => {});
        sending.write(fileOf(large).subarray(0, 200_000), () => sending.destroy());
      },
    );
    expect(outcome).toMatchObject({ hasEnded: false, error: { code: 'ECONNRESET' } });
  });

  it('can still answer a body that it refused half-way [S14]', async () => {
    const answer = Promise.withResolvers<string>();
    const outcome = await exchange(
      (incoming) => tryForm(readChunks(incoming), incoming.headers['content-type']),
      (socketPath) => {
        const sending = request(options(socketPath), (response) => {
          response.setEncoding('utf8').on('data', answer.resolve);
        });
        sending.on('error', () => {});
        sending.write(formOf(fieldOf('path', 'x')));
      },
    );
    expect(outcome).toMatchObject(malformed('another name than `source`'));
    expect(await answer.promise).toBe('answered');
  });
});
