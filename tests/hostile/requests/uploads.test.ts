import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closing, filePart, formatPart, formType, makeForm } from '../fixtures/form.ts';
import { expectProblem, type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, openSocket, sendRaw } from '../fixtures/raw-http.ts';

const LIMIT_BYTES = 300_000;

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile({ environment: { ATTACHE_MAX_UPLOAD_BYTES: String(LIMIT_BYTES) } });
});
afterAll(() => stack.stop());

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const path = () => `/sessions/${stack.session.id}/attachments`;

function post(type: string, body: Uint8Array<ArrayBuffer>) {
  return stack.api.call('POST', path(), { raw: body, headers: { 'content-type': type } });
}

/** Without a length, by which a large one would be refused before it is read. */
function postInChunks(type: string, body: Uint8Array<ArrayBuffer>) {
  return stack.api.call('POST', path(), { raw: new Blob([body]).stream(), headers: { 'content-type': type } });
}

function put(body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, query = '') {
  return stack.api.call('PUT', `${path()}${query}`, {
    raw: body,
    headers: { 'content-type': 'text/plain', ...headers },
  });
}

const inParts = (count: number) => Array.from({ length: count }, () => formatPart('; name="source"', 'x'));

const brokenForms: [what: string, form: { type: string; body: Uint8Array<ArrayBuffer> }, code: string][] = [
  ['a form without a file [AT-16]', makeForm(formatPart('; name="source"', 'composer')), 'NO_FILE'],
  ['a form without a part [AT-16]', makeForm(), 'NO_FILE'],
  ['an empty file [AT-16]', makeForm(filePart('')), 'NO_FILE'],
  ['two file parts [AT-16]', makeForm(filePart('one'), filePart('two')), 'MALFORMED_BODY'],
  ['a field behind the file', makeForm(filePart('one'), formatPart('; name="name"', 'x')), 'MALFORMED_BODY'],
  ['a file under another name', makeForm(formatPart('; name="upload"; filename="a"', 'x')), 'MALFORMED_BODY'],
  ['a file without a filename [S13]', makeForm(formatPart('; name="file"', 'x')), 'MALFORMED_BODY'],
  ['a field of another name [S12]', makeForm(formatPart('; name="path"', '/etc/passwd')), 'MALFORMED_BODY'],
  [
    'a field that imitates a file [S12]',
    makeForm(formatPart('; name="file"', '{"path":"/etc/passwd"}')),
    'MALFORMED_BODY',
  ],
  ['prototype names [S13]', makeForm(formatPart('; name="__proto__"', 'x')), 'MALFORMED_BODY'],
  ['a part with an empty name [S13]', makeForm(formatPart('; name=""', 'x')), 'MALFORMED_BODY'],
  ['a field twice', makeForm(...inParts(2), filePart('x')), 'MALFORMED_BODY'],
  ['a field of 2 kB', makeForm(formatPart('; name="name"', 'x'.repeat(2_048)), filePart('x')), 'MALFORMED_BODY'],
  ['100,000 parts [S13]', makeForm(...inParts(100_000)), 'MALFORMED_BODY'],
  ['100,000 empty files [S13]', makeForm(...Array.from({ length: 100_000 }, () => filePart(''))), 'MALFORMED_BODY'],
  ['huge part headers [S13]', makeForm(formatPart('', 'x', [`X-Long: ${'x'.repeat(40_000)}`])), 'MALFORMED_BODY'],
  ['no boundary [S13]', { type: 'multipart/form-data', body: makeForm(filePart('x')).body }, 'MALFORMED_BODY'],
  [
    'another boundary [S13]',
    { type: 'multipart/form-data; boundary=z', body: makeForm(filePart('x')).body },
    'MALFORMED_BODY',
  ],
  ['no closing boundary [S13]', { type: formType, body: bytes(filePart('cut off')) }, 'MALFORMED_BODY'],
  [
    'a form within a form [S13]',
    makeForm(formatPart('; name="file"', makeInner(), ['Content-Type: multipart/mixed; boundary=i'])),
    'MALFORMED_BODY',
  ],
  [
    'a bomb of blanks before the first boundary [S13]',
    { type: formType, body: bytes(' '.repeat(200_000) + closing) },
    'MALFORMED_BODY',
  ],
  [
    'JSON that imitates files [S12]',
    { type: 'application/json', body: bytes('{"files":{"file":{"filepath":"/etc/passwd","size":9}}}') },
    'MALFORMED_BODY',
  ],
  [
    'a urlencoded form that imitates files [S12]',
    { type: 'application/x-www-form-urlencoded', body: bytes('file=%2Fetc%2Fpasswd&file.path=/etc/passwd') },
    'MALFORMED_BODY',
  ],
  [
    'a compressed form, which could fill the memory [S16]',
    { type: formType, body: Uint8Array.from(gzipSync(makeForm(filePart('x')).body)) },
    'MALFORMED_BODY',
  ],
];

function makeInner(): string {
  return '--i\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--i--\r\n';
}

describe('a form is refused and nothing of it is kept', () => {
  it.each(brokenForms)('%s', async (_, { type, body }, code) => {
    expectProblem(await postInChunks(type, body), 400, code);
    await stack.expectNothingKept();
  });

  it('over the limit [AT-17 S14]', async () => {
    const form = makeForm(filePart('x'.repeat(LIMIT_BYTES + 1)));
    expectProblem(await post(form.type, form.body), 413, 'PAYLOAD_TOO_LARGE');
    expectProblem(await postInChunks(form.type, form.body), 413, 'PAYLOAD_TOO_LARGE');
    await stack.expectNothingKept();
    await stack.expectAlive();
  });
});

describe('a raw body is refused and nothing of it is kept', () => {
  it('without a byte [AT-16]', async () => {
    expectProblem(await put(bytes('')), 400, 'NO_FILE');
  });

  it('over the limit by its stated length, before it is read [AT-17 S14]', async () => {
    const head = formatHead('PUT', `/v1${path()}`, stack.api.apiKey, [`content-length: ${LIMIT_BYTES + 1}`]);
    const answer = await sendRaw(stack.url, [head]);
    expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('over the limit in chunks, without a length [AT-17 S14]', async () => {
    const head = formatHead('PUT', `/v1${path()}`, stack.api.apiKey, ['transfer-encoding: chunked']);
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
    const answer = await sendRaw(stack.url, [head, ...Array.from({ length: 8 }, () => chunk)]);
    expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('with other bytes than its digest says', async () => {
    const digest = `sha-256=:${Buffer.alloc(32).toString('base64')}:`;
    expectProblem(await put(bytes('x'), { 'repr-digest': digest }), 422, 'CHECKSUM_MISMATCH');
    expectProblem(await put(bytes('x'), { 'repr-digest': 'sha-256=:short:' }), 400, 'INVALID_REQUEST');
  });

  it('with an unknown source', async () => {
    expectProblem(await put(bytes('x'), {}, '?source=__proto__'), 400, 'INVALID_REQUEST');
  });

  it('with a digest, where the stated length is shorter than what comes [S14]', async () => {
    const digest = `sha-256=:${Buffer.alloc(32, 1).toString('base64')}:`;
    const headers = ['content-length: 3', `repr-digest: ${digest}`];
    const head = formatHead('PUT', `/v1${path()}`, stack.api.apiKey, headers);
    // Bytes after the stated length are no request; which of the two is answered first is not fixed.
    const answer = await sendRaw(stack.url, [head, 'more than three']);
    expect([400, 422]).toContain(answer?.status);
  });

  it.each([
    ['a length above what comes', ['content-length: 1000'], 'only this'],
    ['chunks without an end', ['transfer-encoding: chunked'], '5\r\nhello\r\n'],
  ])('where the client stops after %s [S14 W1]', async (_, headers, body) => {
    await sendRaw(stack.url, [formatHead('PUT', `/v1${path()}`, stack.api.apiKey, headers), body], { isEnding: true });
    await stack.expectNothingKept();
  });

  it.each([
    ['two lengths', ['content-length: 3', 'content-length: 4'], 'abcd'],
    ['a length and chunks', ['content-length: 3', 'transfer-encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'],
    ['a negative length', ['content-length: -1'], 'abc'],
    ['a length in words', ['content-length: 3 or more'], 'abc'],
    ['a chunk of no size', ['transfer-encoding: chunked'], 'zz\r\nabc\r\n'],
    ['an unknown transfer coding', ['transfer-encoding: gzip'], 'abc'],
  ])('framed by %s [S14]', async (_, headers, body) => {
    const answer = await sendRaw(stack.url, [formatHead('PUT', `/v1${path()}`, stack.api.apiKey, headers), body]);
    expect(answer?.status).toBe(400);
  });

  it('where the client goes away in the middle [W1]', async () => {
    const socket = openSocket(stack.url);
    const head = formatHead('PUT', `/v1${path()}`, stack.api.apiKey, [`content-length: ${LIMIT_BYTES}`]);
    await new Promise<void>((sent) => socket.write(head + 'x'.repeat(100_000), () => sent()));
    socket.destroy();
    await stack.expectNothingKept();
  });

  it('where it comes in a form and the client goes away in the middle [W1]', async () => {
    const socket = openSocket(stack.url);
    const headers = [`content-type: ${formType}`, 'content-length: 200000'];
    const body = filePart('x'.repeat(50_000));
    const head = formatHead('POST', `/v1${path()}`, stack.api.apiKey, headers);
    await new Promise<void>((sent) => socket.write(head + body, () => sent()));
    socket.destroy();
    await stack.expectNothingKept();
  });

  it('and a good one is taken afterwards', async () => {
    await stack.expectNothingKept();
    await stack.expectAlive();
  });
});

it('leaves no orphan and no reservation behind [W1 W3]', async () => {
  await stack.expectCleanEnd();
});
