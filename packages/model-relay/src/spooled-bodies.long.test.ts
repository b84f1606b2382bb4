import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  bad,
  body,
  hi,
  image,
  inTime,
  makeSpoolFolder,
  replacements,
  text,
  toBody,
} from './__fixtures__/refused-requests.ts';
import { ask, paths, startRelayed } from './__fixtures__/relayed.ts';
import { makePng } from './__fixtures__/wire-media.ts';
import type { OpenedRelay, RelayOptions } from './relay-types.ts';

let spool: Awaited<ReturnType<typeof makeSpoolFolder>>;
beforeAll(async () => {
  spool = await makeSpoolFolder();
});
afterAll(() => spool.remove());

const start = (limits: RelayOptions['limits'] = {}) => startRelayed(limits, spool.folder);

/** A request whose program has not sent its end. */
function begin({ baseUrl, token }: OpenedRelay, sent: string) {
  const request = requestHttp(`${baseUrl}${paths.anthropic}`, {
    ...{ method: 'POST', agent: false, headers: { 'x-api-key': token } },
  });
  const ended = new Promise<number | 'broken'>((resolve) => {
    request.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    request.once('error', () => resolve('broken'));
  });
  request.write(sent);
  return { request, ended };
}

const large = toBody([image(bad), image(makePng(1, 1, 12_000_000)), hi]);

describe('a body that waits on the disk', () => {
  it('has no name there, and is gone when its program breaks off', async () => {
    await using relayed = await start();
    const { request, ended } = begin(relayed.open({ replacements }), large.slice(0, 9_000_000));
    // It has a name from its opening to the next call.
    await vi.waitFor(() => expect([spool.countOpen(), spool.listNames()]).toEqual([1, []]), inTime);
    request.destroy();
    expect(await ended).toBe('broken');
    await spool.expectNothingLeft();
    expect(relayed.provider.countBegun()).toBe(0);
  });

  it('is gone with the relay of its agent, and when nothing more of it comes', async () => {
    await using relayed = await start({ idleMs: 300, lingerMs: 200 });
    const opened = relayed.open({ replacements });
    const first = begin(opened, large.slice(0, 1_000_000));
    expect(await first.ended).toBe(408);
    await spool.expectNothingLeft();
    const second = begin(opened, large.slice(0, 1_000_000));
    await vi.waitFor(() => expect(spool.countOpen()).toBe(1), inTime);
    opened.close();
    expect(await second.ended).toBe('broken');
    await spool.expectNothingLeft();
  });

  it('is gone when the provider resets the connection amid it, and when it answers before its end', async () => {
    await using relayed = await start({ lingerMs: 200 });
    const opened = relayed.open({ replacements });
    relayed.provider.behave((request) => void request.once('data', () => request.socket.resetAndDestroy()));
    expect((await ask(opened, { body: large })).status).toBe(502);
    await spool.expectNothingLeft();
    relayed.provider.behave((request, response) => {
      request.on('error', () => {}).once('data', () => request.pause());
      response.writeHead(400).end('{}');
    });
    expect((await ask(opened, { body: large })).status).toBe(400);
    await spool.expectNothingLeft();
  });

  it('is gone when its program leaves while the provider takes it slowly', async () => {
    await using relayed = await start();
    relayed.provider.behave((request) => void request.on('error', () => {}).once('data', () => request.pause()));
    const { request } = begin(relayed.open({ replacements }), large);
    request.end();
    await vi.waitFor(() => expect(relayed.provider.countBegun()).toBe(1), inTime);
    request.destroy();
    await spool.expectNothingLeft();
    await vi.waitFor(() => expect(relayed.records).toHaveLength(1), inTime);
    expect(relayed.records[0]).toMatchObject({ content: undefined });
  });

  it('that the disk does not take is refused with a 503', async () => {
    await using relayed = await startRelayed({}, join(spool.folder, 'not-there'));
    const answered = await ask(relayed.open({ replacements }), { body });
    expect(answered.status).toBe(503);
    expect(relayed.records[0]).toMatchObject({ refused: 'relay_spool_failed' });
    expect(relayed.lines.join()).toContain('ENOENT');
    expect(relayed.lines.join()).not.toContain(spool.folder);
    expect((await ask(relayed.open(), { body })).status).toBe(200);
  });

  it('is refused where those of its agent take too much of the disk, and passes when they are gone', async () => {
    await using relayed = await start({ maxSpoolBytes: 17_000_000, lingerMs: 200 });
    const opened = relayed.open({ replacements });
    const { request } = begin(opened, large.slice(0, 9_000_000));
    await vi.waitFor(() => expect(spool.countOpen()).toBe(1), inTime);
    expect((await ask(opened, { body: large })).status).toBe(503);
    request.destroy();
    await spool.expectNothingLeft();
    expect((await ask(opened, { body: large })).status).toBe(200);
    expect(relayed.provider.seen.at(-1)?.body.toString()).toBe(
      large.replace(JSON.stringify(image(bad)), JSON.stringify({ type: 'text', text })),
    );
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** Memory of this process, which is program, relay and provider. Garbage is collected first: otherwise it would go at a random time. */
function readHeldBytes(): number {
  collectGarbage();
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1_024;
}
/** Twice as many keep below what one relay spools at most. */
const OPEN_REQUESTS = 8;
const MAX_OPEN_BYTES = 2 * 2 ** 20;

describe('bodies of 25 MB', () => {
  const whole = toBody([image(bad), image(makePng(1, 1, 18_000_000)), hi]);
  const expected = whole.replace(JSON.stringify(image(bad)), JSON.stringify({ type: 'text', text }));

  it('arrive as they should', async () => {
    await using relayed = await start();
    expect((await ask(relayed.open({ replacements }), { body: whole })).status).toBe(200);
    expect(relayed.provider.seen[0]?.body.equals(Buffer.from(expected))).toBe(true);
  });

  it('arrive as they should in a thousand pieces', async () => {
    const cache_control = { type: 'ephemeral' };
    const toMany = (block: object) =>
      toBody(
        Array.from({ length: 1_000 }, (_, index) => [block, { type: 'text', text: `${index} `.repeat(index) }]).flat(),
      );
    await using relayed = await start();
    const many = toMany({ ...image(bad), cache_control });
    expect((await ask(relayed.open({ replacements }), { body: many })).status).toBe(200);
    expect(relayed.provider.seen[0]?.body.toString()).toBe(toMany({ type: 'text', text, cache_control }));
  });

  it('that a provider does not take need no memory [BX-02]', async () => {
    await using relayed = await start();
    const opened = relayed.open({ replacements });
    const hold = async (count: number) => {
      relayed.provider.behave((request) => void request.on('error', () => {}).once('data', () => request.pause()));
      const begun = relayed.provider.countBegun();
      const requests = Array.from({ length: count }, () => begin(opened, ''));
      for (const { request } of requests)
        for (let at = 0; at < whole.length; at += 65_536)
          if (!request.write(whole.slice(at, at + 65_536)))
            await new Promise((resolve) => request.once('drain', resolve));
      for (const { request } of requests) request.end();
      await vi.waitFor(() => expect(relayed.provider.countBegun()).toBe(begun + count), inTime);
      return () => {
        for (const { request } of requests) request.destroy();
      };
    };
    // The first requests also need a thread and the buffers of this program, which must not count for them.
    const endFirst = await hold(OPEN_REQUESTS);
    const before = readHeldBytes();
    const endOthers = await hold(OPEN_REQUESTS);
    const grownBytes = readHeldBytes() - before;
    endFirst();
    endOthers();
    await spool.expectNothingLeft();
    expect(grownBytes / OPEN_REQUESTS).toBeLessThan(MAX_OPEN_BYTES);
  });

  it('reach a provider that takes them late', async () => {
    await using relayed = await start();
    const arrived: number[] = [];
    relayed.provider.behave(async (request, response) => {
      arrived.push((await buffer(request)).length);
      response.end('{}');
    });
    const opened = relayed.open({ replacements });
    await Promise.all(Array.from({ length: 4 }, () => ask(opened, { body: whole })));
    expect(arrived).toEqual(Array.from({ length: 4 }, () => expected.length));
  });
});
