import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { ask, paths, startRelayed } from './__fixtures__/relayed.ts';
import { dataUrlOf, makePng, sha256Of } from './__fixtures__/wire-media.ts';

const png = makePng(400, 300, 3_000_000);
const body = JSON.stringify({
  ...{ model: 'm', tools: [{ type: 'function', name: 'read' }] },
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: dataUrlOf(png) }] }],
});
const path = paths['openai-responses'];

async function askOnce(answer: (response: ServerResponse) => void, asked: Parameters<typeof ask>[1] = {}) {
  await using relayed = await startRelayed();
  relayed.provider.behave(async (request, response) => {
    await buffer(request);
    answer(response);
  });
  const opened = relayed.open({ endpoint: { api: 'openai-responses' } });
  const answered = await ask(opened, { path, body, ...asked }).catch(() => undefined);
  await vi.waitFor(() => expect(relayed.records).toHaveLength(1), { timeout: 60_000 });
  return { record: relayed.records[0], answered };
}

const early = (sizeBytes: number) => `data: {"type":"response.created","tools":"${'x'.repeat(sizeBytes)}"}\n\n`;
const sendEvents = (text: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);

describe('the record of a request', () => {
  it('says what left for the provider, and holds none of it [BX-23]', async () => {
    const { record } = await askOnce((response) => response.end('{}'));
    const block = { sha256: sha256Of(png), sizeBytes: png.length, mimeType: 'image/png', width: 400, height: 300 };
    expect(record?.content).toMatchObject({ hasTools: true, blocks: [{ kind: 'media', place: 'user', ...block }] });
    expect(record?.answer).toEqual({ status: 200, hasBegun: true, refusal: undefined });
    expect(JSON.stringify(record).length).toBeLessThan(1_000);
  });

  it.each([
    [
      'a first event of its own',
      ': on it\n\nevent: ping\ndata: {}\n\nevent: response.created\ndata: {"type":"response.created"}\n\nevent: response.output_item.added\ndata: {}\n\n',
      true,
    ],
    [
      'one of 20 kB behind one of 40 kB',
      `${early(40_000)}data: {"type":"more","text":"${'x'.repeat(20_000)}"}\n\n`,
      true,
    ],
    ['no more than that the request came', `${early(10)}${early(40_000)}`, false],
    ['an error behind that', `${early(40_000)}data: {"type":"response.failed","response":{}}\n\n`, false],
    ['no whole event', 'event: response.created\ndata: {"type":', false],
    ['nothing but comments', ': on it\n\n', false],
    ['an error for its first event', 'event: error\ndata: {"type":"error"}\n\n', false],
    ['an error without a name', 'data: {"error":{"message":"no"}}\n\n', false],
    ['nothing at all', '', false],
  ])('says whether the model began: %s', async (_, events, hasBegun) => {
    const { record } = await askOnce(sendEvents(events));
    expect(record?.answer).toMatchObject({ status: 200, hasBegun });
  });

  it.each([
    ['an error in one piece', '{"error":{}}', false],
    ['nothing', '', false],
    ['an answer', '{"output":[]}', true],
  ])('says so of an answer without events: %s', async (_, text, hasBegun) => {
    expect((await askOnce((response) => response.end(text))).record?.answer).toMatchObject({ hasBegun });
  });

  it('keeps the error that an event says before the model begins, however the stream is cut', async () => {
    const error = { code: 'context_length_exceeded', message: 'Too long – é.' };
    const data = JSON.stringify({ type: 'response.failed', response: { status: 'failed', error } });
    const events = Buffer.from(
      `${early(20_000)}event: response.failed\r\ndata: ${data}\r\n\r\ndata: {"type":"more"}\n\n`,
    );
    const head = { 'content-type': 'text/event-stream' };
    const { record } = await askOnce(async (response) => {
      response.writeHead(200, head);
      for (const byte of [
        events.subarray(0, 20_000),
        ...Array.from(events.subarray(20_000), (each) => Buffer.of(each)),
      ])
        response.write(byte);
      response.end();
    });
    expect(record?.answer).toEqual({ status: 200, hasBegun: false, refusal: { status: 200, text: data } });
  });

  it('keeps 64 KiB of a refusal, and the program gets it whole', async () => {
    const refusal = `{"error":"${'n'.repeat(100_000)}"}`;
    const { record, answered } = await askOnce((response) => response.writeHead(400).end(refusal));
    expect(answered).toMatchObject({ status: 400, text: refusal });
    const kept = { status: 400, text: refusal.slice(0, 64 * 1024) };
    expect(record?.answer).toEqual({ status: 400, hasBegun: false, refusal: kept });
    expect(record?.content).toBeDefined();
  });

  it('has no content of what is no turn, is in doubt or did not go out', async () => {
    const count = await askOnce((response) => response.end('{}'), { path: '/v1/responses/input_tokens' });
    expect(count.record).toMatchObject({ kind: 'count-tokens', status: 200, content: undefined });
    const twice = await askOnce((response) => response.end('{}'), {
      body: body.replace('"role"', '"role":"user","role"'),
    });
    expect(twice.record).toMatchObject({ status: 200, content: undefined, answer: { hasBegun: true } });
    const refused = await askOnce((response) => response.end('{}'), { body: body.replace('"m"', '"other"') });
    expect(refused.record).toMatchObject({ status: 403, content: undefined, answer: undefined });
  });
});
