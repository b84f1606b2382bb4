import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  bad,
  body,
  hi,
  image,
  inTime,
  makeSpoolFolder,
  replaced,
  replacements,
  text,
  toBody,
} from './__fixtures__/refused-requests.ts';
import { ask, type Given, paths, startRelayed } from './__fixtures__/relayed.ts';
import { makePng, sha256Of } from './__fixtures__/wire-media.ts';
import type { RelayOptions } from './relay-types.ts';

let spool: Awaited<ReturnType<typeof makeSpoolFolder>>;
beforeAll(async () => {
  spool = await makeSpoolFolder();
});
afterAll(() => spool.remove());

const start = (limits: RelayOptions['limits'] = {}) => startRelayed(limits, spool.folder);

/** Sends a request: returns what the provider got of it, and what was recorded. */
async function send(given: Given, asked: Parameters<typeof ask>[1]) {
  await using relayed = await start();
  const answered = await ask(relayed.open(given), asked);
  await vi.waitFor(() => expect(relayed.records).toHaveLength(1), inTime);
  const [seen] = relayed.provider.seen;
  return { answered, seen, sent: seen?.body.toString(), record: relayed.records[0] };
}

describe('a request of an agent whose model has refused a file', () => {
  it('goes out with a text in its place and the length of that [BX-02]', async () => {
    const { answered, seen, sent, record } = await send({ replacements }, { body });
    expect(answered.status).toBe(200);
    expect(sent).toBe(replaced);
    expect(seen?.headers['content-length']).toBe(String(Buffer.byteLength(replaced)));
    expect(record).toMatchObject({ requestBytes: body.length, replacedBlocks: 1, status: 200 });
    const [first, second] = record?.content?.blocks ?? [];
    expect(first).toMatchObject({ kind: 'media', sha256: sha256Of(bad), width: 40, isReplaced: true, path: [0, 0] });
    expect(second).not.toHaveProperty('isReplaced');
    await spool.expectNothingLeft();
  });

  it('in chunks gets a length', async () => {
    const { seen, sent } = await send({ replacements }, { body, headers: { 'transfer-encoding': 'chunked' } });
    expect(sent).toBe(replaced);
    expect(seen?.headers).toMatchObject({ 'content-length': String(Buffer.byteLength(replaced)) });
    expect(seen?.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each([
    ['of another one', toBody([image(makePng(1, 1)), hi])],
    ['that could be read in two ways', body.replace('"role":"user"', '"role":"user","role":"user"')],
  ])('is not altered by a file %s', async (_, other) => {
    const { sent, record } = await send({ replacements }, { body: other });
    expect(sent).toBe(other);
    expect(record).not.toHaveProperty('replacedBlocks');
  });

  it('has it replaced where tokens are counted, and that says nothing of its content', async () => {
    const { sent, record } = await send({ replacements }, { body, path: `${paths.anthropic}/count_tokens` });
    expect(sent).toBe(replaced);
    expect(record).toMatchObject({ kind: 'count-tokens', content: undefined, replacedBlocks: 1 });
  });

  it('has it replaced where a conversation is made shorter', async () => {
    const image_url = `data:image/png;base64,${bad.toString('base64')}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    const given = { replacements, endpoint: { api: 'openai-responses' } } as const;
    const asked = { path: '/v1/responses/compact', body: JSON.stringify({ model: 'm', input }) };
    const { sent } = await send(given, asked);
    expect(JSON.parse(sent ?? '').input[0].content).toEqual([{ type: 'input_text', text }]);
  });

  it('is judged as any other', async () => {
    await using relayed = await start({ maxSpoolBytes: 50_000 });
    const opened = relayed.open({ replacements, maxRequestBytes: 40_000 });
    expect((await ask(opened, { body: body.replace('"m"', '"other"') })).status).toBe(403);
    expect((await ask(opened, { body: body.slice(0, -1) })).status).toBe(400);
    expect((await ask(opened, { body: toBody(hi, { x: 'x'.repeat(50_000) }) })).status).toBe(413);
    expect(relayed.provider.countBegun()).toBe(0);
    await spool.expectNothingLeft();
  });

  it('asks once which files those are', async () => {
    const asked = vi.fn(replacements);
    await send({ replacements: asked }, { body });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Given]>([
    ['nothing was refused', { replacements: () => new Map() }],
    ['nothing says so', {}],
  ])('streams through where %s, byte by byte and with its own length', async (_, given) => {
    const { seen, sent } = await send(given, { body: `${body} ` });
    expect(sent).toBe(`${body} `);
    expect(seen?.headers['content-length']).toBe(String(body.length + 1));
    const chunked = await send(given, { body, headers: { 'transfer-encoding': 'chunked' } });
    expect(chunked.sent).toBe(body);
    expect(chunked.seen?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(chunked.seen?.headers).not.toHaveProperty('content-length');
  });

  it('has as long a beginning in common with the one before it as it came with', async () => {
    await using relayed = await start();
    const opened = relayed.open({ replacements });
    const second = body.replace(']}]', ']},{"role":"assistant","content":"yes"},{"role":"user","content":"so"}]');
    for (const each of [body, second]) await ask(opened, { body: each });
    const [first, then] = relayed.provider.seen.map((seen) => seen.body.toString());
    expect(then?.startsWith(first?.slice(0, first.indexOf(']}]')) ?? '?')).toBe(true);
  });
});
