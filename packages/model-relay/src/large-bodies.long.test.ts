import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { ask, askForResponse, paths, startRelayed } from './__fixtures__/relayed.ts';
import type { OpenedRelay } from './relay-types.ts';

const MEGABYTE = 2 ** 20;
const MAX_GROWTH_BYTES = 50 * MEGABYTE;
const WARM_MEGABYTES = 60;
const ANSWER_MEGABYTES = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 200 : 1_000;
const LOOK_MS = 50;
const inTime = { timeout: 60_000 };
const letters = Buffer.alloc(MEGABYTE, 'a');

/** A request whose body is written step by step. Its answer resolves with the status, or with `broken`. */
function begin({ baseUrl, token }: OpenedRelay, headers: Record<string, string> = {}) {
  const request = requestHttp(`${baseUrl}${paths.anthropic}`, {
    ...{ method: 'POST', agent: false, headers: { 'x-api-key': token, ...headers } },
  });
  const answered = new Promise<number | 'broken'>((resolve) => {
    request.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    request.once('error', () => resolve('broken'));
    request.once('close', () => resolve('broken'));
  });
  return { request, answered };
}

/** Writes until `count` megabytes are gone or the connection is. */
async function writeMegabytes(request: ClientRequest, count: number): Promise<void> {
  for (let written = 0; written < count && !request.destroyed; written += 1) {
    if (!request.write(letters)) await untilWritable(request);
  }
}

function untilWritable(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      request.off('drain', end).off('close', end);
      resolve();
    };
    request.on('drain', end).on('close', end);
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * How far the memory of this process, relay, provider and program together, rises above what it was after less of the same work. Garbage is
 * collected before each look: when it goes by itself is chance.
 */
async function watchGrowth(megabytes: number, work: (megabytes: number) => Promise<unknown>): Promise<number> {
  await work(WARM_MEGABYTES);
  const look = () => {
    collectGarbage();
    return process.memoryUsage.rss();
  };
  const before = look();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, look());
  }, LOOK_MS);
  try {
    await work(megabytes);
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

describe('a body above the limit of the target', () => {
  it('gets a 413 by the length that it says', async () => {
    await using relayed = await startRelayed();
    const opened = relayed.open({ maxRequestBytes: 1_000 });
    expect((await ask(opened, { body: `{"model":"m","system":"${'x'.repeat(1_000)}"}` })).status).toBe(413);
    expect(relayed.provider.countBegun()).toBe(0);
  });

  it('of 200 MB in chunks gets a 413 and needs no memory', async () => {
    await using relayed = await startRelayed({ lingerMs: 60_000 });
    const opened = relayed.open({ maxRequestBytes: 20 * MEGABYTE });
    relayed.provider.behave((request) => void request.on('error', () => {}).resume());
    const grownBytes = await watchGrowth(200, async (megabytes) => {
      const { request, answered } = begin(opened);
      request.write('{"model":"m","system":"');
      await writeMegabytes(request, megabytes);
      request.end('"}');
      expect(await answered).toBe(413);
    });
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
    await vi.waitFor(() => expect(relayed.provider.countBroken()).toBe(2), inTime);
    expect(relayed.records[0]).toMatchObject({ refused: 'relay_body_too_large', status: 413 });
  });

  it('gets a 413 wherever the limit lies, and its rest is read', async () => {
    await using relayed = await startRelayed({ lingerMs: 60_000 });
    relayed.provider.behave((request) => void request.on('error', () => {}).resume());
    for (let count = 1; count <= 100; count += 1) {
      const { request, answered } = begin(relayed.open({ maxRequestBytes: 5 * MEGABYTE + count * 7_000 }));
      request.write('{"model":"m","system":"');
      await writeMegabytes(request, 12);
      request.end('"}');
      expect(await answered).toBe(413);
    }
    await vi.waitFor(() => expect(relayed.records).toHaveLength(100), inTime);
  });

  it('is read no longer than the time for it', async () => {
    await using relayed = await startRelayed({ lingerMs: 200 });
    const { request, answered } = begin(relayed.open({ maxRequestBytes: 1 }), { 'content-length': '1000000000' });
    request.flushHeaders();
    expect(await answered).toBe(413);
    await new Promise((resolve) => request.once('close', resolve));
  });
});

describe('a body', () => {
  it('of 200 MB streams through, its model named last, and needs no memory', async () => {
    await using relayed = await startRelayed();
    let arrivedBytes = 0;
    relayed.provider.behave((request, response) => {
      arrivedBytes = 0;
      request.on('data', (chunk: Buffer) => {
        arrivedBytes += chunk.length;
      });
      request.once('end', () => response.end('{}'));
    });
    const grownBytes = await watchGrowth(200, async (megabytes) => {
      const { request, answered } = begin(relayed.open());
      request.write('{"system":"');
      await writeMegabytes(request, megabytes);
      request.end('","model":"m"}');
      expect(await answered).toBe(200);
    });
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
    expect(arrivedBytes).toBe(200 * MEGABYTE + 25);
    const record = { model: 'm', requestBytes: arrivedBytes };
    await vi.waitFor(() => expect(relayed.records[1]).toMatchObject(record), inTime);
  });

  it('that a provider does not take is not read, and gets a 504', async () => {
    await using relayed = await startRelayed({ idleMs: 500, lingerMs: 200 });
    relayed.provider.behave(() => {});
    const grownBytes = await watchGrowth(200, async (megabytes) => {
      const { request, answered } = begin(relayed.open());
      request.write('{"model":"m","system":"');
      await writeMegabytes(request, megabytes);
      expect(await answered).toBe(504);
    });
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
    expect(relayed.records[0]?.requestBytes).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('whose model is refused at its end is never whole at the provider', async () => {
    await using relayed = await startRelayed();
    const { request, answered } = begin(relayed.open());
    request.write('{"system":"');
    await writeMegabytes(request, 3);
    request.end('","model":"other"}');
    expect(await answered).toBe(403);
    await vi.waitFor(() => expect(relayed.provider.countBroken()).toBe(1), inTime);
    expect(relayed.provider.seen).toEqual([]);
  });

  it('that ends amid its JSON is never whole at the provider', async () => {
    await using relayed = await startRelayed();
    expect((await ask(relayed.open(), { body: '{"model":"m","system":[' })).status).toBe(400);
    const { request, answered } = begin(relayed.open());
    request.write('{"model":"m","system":"');
    await writeMegabytes(request, 1);
    request.end();
    expect(await answered).toBe(400);
    expect(relayed.provider.seen).toEqual([]);
  });

  it('that never ends gets a 408, and the request to the provider ends', async () => {
    await using relayed = await startRelayed({ idleMs: 300, lingerMs: 200 });
    const { request, answered } = begin(relayed.open());
    request.write('{"model":"m","system":"');
    await writeMegabytes(request, 1);
    expect(await answered).toBe(408);
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), inTime);
  });

  it('that the program breaks off ends the request to the provider', async () => {
    await using relayed = await startRelayed();
    const { request } = begin(relayed.open());
    request.write('{"model":"m","system":"');
    await writeMegabytes(request, 1);
    await vi.waitFor(() => expect(relayed.provider.countBegun()).toBe(1), inTime);
    request.destroy();
    await vi.waitFor(() => expect(relayed.provider.countBroken()).toBe(1), inTime);
  });

  it('that the provider refuses at its head gets that answer', async () => {
    await using relayed = await startRelayed({ lingerMs: 60_000 });
    // Reads on, as servers do that want their answer to arrive.
    relayed.provider.behave((request, response) => {
      request.on('error', () => {}).resume();
      response.writeHead(413).end('{"too":"large"}');
    });
    const { request, answered } = begin(relayed.open());
    request.write('{"model":"m","system":"');
    await writeMegabytes(request, 30);
    request.end('"}');
    expect(await answered).toBe(413);
  });
});

async function countBytes(response: IncomingMessage): Promise<number> {
  let readBytes = 0;
  for await (const chunk of response) readBytes += (chunk as Buffer).length;
  return readBytes;
}

describe('an answer of hundreds of megabytes', () => {
  it('streams through, no faster than the program reads, and needs no memory', async () => {
    await using relayed = await startRelayed();
    const written: number[] = [];
    relayed.provider.behave(async (request, response) => {
      const count = Number(request.headers['x-client-request-id']);
      response.writeHead(200, { 'content-length': String(count * MEGABYTE) });
      const place = written.push(0) - 1;
      for (let megabytes = 1; megabytes <= count; megabytes += 1) {
        written[place] = megabytes;
        if (!response.write(letters)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    });
    const opened = relayed.open();
    const askFor = (megabytes: number) =>
      askForResponse(opened, { headers: { 'x-client-request-id': String(megabytes) } });
    const grownBytes = await watchGrowth(ANSWER_MEGABYTES, async (megabytes) => {
      const place = written.length;
      const response = await askFor(megabytes);
      // Another one passes it meanwhile, whose program reads.
      expect(await countBytes(await askFor(60))).toBe(60 * MEGABYTE);
      expect(written[place]).toBeLessThan(30);
      expect(await countBytes(response)).toBe(megabytes * MEGABYTE);
    });
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
  });
});
