import { createLogger } from '@attache/telemetry';
import { afterEach, describe, expect, it } from 'vitest';
import { readBody } from '../__fixtures__/read-body.ts';
import { makePng } from '../__fixtures__/wire-media.ts';
import { bodies, context, spellOddly, words } from '../content/__fixtures__/bodies-of-apis.ts';
import type { ModelApi } from '../relay-types.ts';
import type { BodyRead, BodyReader } from './body-reader.ts';
import { createReadingThreads, type ReadingThreads } from './reading-threads.ts';

const apis = Object.keys(bodies) as ModelApi[];
const log = createLogger({ service: 'test', level: 'error', destination: { write: () => {} } });
const opened: ReadingThreads[] = [];
afterEach(async () => {
  for (const threads of opened.splice(0)) await threads.close();
});

function start(name?: 'dying' | 'broken' | 'stuck' | 'slow', stepBytes?: number): ReadingThreads {
  const program = name && new URL(`./__fixtures__/${name}-thread.ts`, import.meta.url);
  const threads = createReadingThreads({ log, program, ...(stepBytes === undefined ? {} : { stepBytes }) });
  opened.push(threads);
  return threads;
}

function open(threads: ReadingThreads, api: ModelApi = 'anthropic'): BodyReader | undefined {
  const access = { model: 'm', errands: [], errandTexts: [], endpoint: { api } };
  return threads.open({ access, question: { kind: 'generate', isInTurn: true } });
}

/** Reads a body in a thread, in chunks of this size. */
async function read(
  threads: ReadingThreads,
  body: Buffer,
  { api, chunkBytes = 65_536 }: { api?: ModelApi; chunkBytes?: number } = {},
): Promise<BodyRead | undefined> {
  const reader = open(threads, api);
  for (let from = 0; from < body.length; from += chunkBytes) {
    // As a relay has it: the memory of a chunk is used again.
    const chunk = Buffer.from(body.subarray(from, from + chunkBytes));
    reader?.take(chunk);
    chunk.fill('?');
    await reader?.waitForRoom();
  }
  return reader?.end();
}

const toBody = (content: unknown[]): Buffer =>
  Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], tools: [{ name: 'a' }] }));
const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const textOf = (text: string) => ({ type: 'text', text });
const large = toBody([
  textOf(context),
  image(makePng(400, 300, 3_000_000).toString('base64')),
  textOf(`${words}\n`.repeat(40_000)),
  ...Array.from({ length: 2_000 }, (_, index) => textOf(`${index} ${words}`)),
]);

describe('what a thread reads in a body', () => {
  it.each(apis)('is what is read without one, wherever its steps and chunks end: %s [BX-23]', async (api) => {
    const body = Buffer.from(spellOddly(api));
    const expected = { status: 'read', content: readBody(body, { api }) };
    expect(expected.content).toMatchObject({ hasTools: api !== 'openai-chat' });
    for (const stepBytes of [1, 2, 3, 7, 61, 64, 1_000]) {
      const threads = start(undefined, stepBytes);
      for (const chunkBytes of [1, 5, 64, body.length]) {
        expect(await read(threads, body, { api, chunkBytes })).toEqual(expected);
      }
      await threads.close();
    }
  });

  it('is the same of a large one, with others beside it', async () => {
    const threads = start();
    const expected = { status: 'read', content: readBody(large) };
    expect(expected.content).toMatchObject({ blocks: { length: 2_003 } });
    const all = await Promise.all([65_536, 10_000, 300_000].map((chunkBytes) => read(threads, large, { chunkBytes })));
    expect(all).toEqual([expected, expected, expected]);
  });

  it('is refused where it is no JSON, as soon as that is known', async () => {
    const threads = start();
    const malformed = Buffer.concat([large.subarray(0, 2_000_000), Buffer.from('"]'), large]);
    expect(await read(threads, malformed)).toEqual({ status: 'refused', code: 'relay_body_malformed' });
    expect(await read(threads, large.subarray(0, -1))).toEqual({ status: 'refused', code: 'relay_body_malformed' });
    expect(await read(threads, large)).toMatchObject({ status: 'read', content: { hasTools: true } });
  });

  it('is the same where the thread is slower than what comes', async () => {
    const reader = open(start('slow'));
    let waits = 0;
    for (let from = 0; from < large.length; from += 65_536) {
      reader?.take(large.subarray(from, from + 65_536));
      const room = reader?.waitForRoom();
      if (room !== undefined) waits += 1;
      await room;
    }
    expect(waits).toBeGreaterThan(0);
    expect(await reader?.end()).toEqual({ status: 'read', content: readBody(large) });
  });
});

describe('a thread', () => {
  const deadly = toBody([textOf('a'.repeat(1_500_000)), textOf('DIE-HERE'), textOf('b'.repeat(1_500_000))]);

  it('that ends amid a body loses those that it reads, and the next one is read', async () => {
    const threads = start('dying');
    expect(await read(threads, large)).toMatchObject({ status: 'read' });
    expect(await read(threads, deadly)).toEqual({ status: 'lost' });
    expect(await read(threads, large)).toEqual({ status: 'read', content: readBody(large) });
  });

  it('that cannot start loses one body, and there is none any more', async () => {
    const threads = start('broken');
    expect(await read(threads, large)).toEqual({ status: 'lost' });
    expect(open(threads)).toBeUndefined();
  });

  it('that reads nothing holds back what comes after a megabyte, and ends with the relay', async () => {
    const threads = start('stuck');
    const reader = open(threads);
    let takenBytes = 0;
    for (; reader?.waitForRoom() === undefined; takenBytes += 65_536) reader?.take(large.subarray(0, 65_536));
    expect(takenBytes).toBe(2 ** 20);
    const room = reader.waitForRoom();
    const ended = reader.end();
    await threads.close();
    await room;
    expect(await ended).toEqual({ status: 'lost' });
    expect(open(threads)).toBeUndefined();
  });

  it('reads no more than a few bodies at once, and takes others when those are dropped', async () => {
    const threads = start('stuck');
    const readers = Array.from({ length: 200 }, () => open(threads));
    const taken = readers.filter((reader) => reader !== undefined);
    expect(taken.length).toBeGreaterThan(1);
    expect(taken.length).toBeLessThan(50);
    for (const reader of taken) reader.drop();
    expect(open(threads)).toBeDefined();
  });
});
