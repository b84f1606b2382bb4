import { type ClientRequest, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, type Given, paths, startRelayed } from '../__fixtures__/relayed.ts';
import type { OpenedRelay, RelayOptions } from '../relay-types.ts';

const inTime = { timeout: 60_000 };
const HELD_PER_TENANT = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 10 : 50;
const limitedBody = '{"type":"error","error":{"type":"rate_limit_error","message":"the provider says so"}}';

/** Tells the relay to wait for so long, as often as that is given; then it answers 200. */
function limitFirst(waits: (string | undefined)[], status = 429) {
  return (incoming: IncomingMessage, response: ServerResponse) => {
    incoming.resume().once('end', () => {
      if (waits.length === 0) return void response.end('{}');
      const wait = waits.shift();
      response.writeHead(status, wait === undefined ? {} : { 'retry-after': wait }).end(limitedBody);
    });
  };
}

/** A relay with agents that say which requests of theirs are held, and in which order they are let go. */
async function startShared(limits: RelayOptions['limits'] = {}) {
  const relayed = await startRelayed(limits);
  onTestFinished(() => relayed[Symbol.asyncDispose]());
  const held: string[] = [];
  const ended: string[] = [];
  const open = (tenant: string, given: Given = {}) =>
    relayed.open({
      tenant,
      watchHold() {
        held.push(tenant);
        return () => void ended.push(tenant);
      },
      ...given,
    });
  return {
    ...{ ...relayed, open, held, ended },
    /** Resolves when as many requests were held, all in all. */
    hasHeld: (count: number) => vi.waitFor(() => expect(held).toHaveLength(count), inTime),
  };
}

type Sent = {
  request: ClientRequest;
  answer: Promise<{ status: number; retryAfter: string | undefined; text: string }>;
};

/** Like `ask`, for a program that can leave. The status is 0 if the connection breaks. */
function send(
  { baseUrl, token }: Pick<OpenedRelay, 'baseUrl' | 'token'>,
  body: string | Buffer = '{"model":"m"}',
): Sent {
  const headers = { 'x-api-key': token };
  const request = requestHttp(`${baseUrl}${paths.anthropic}`, { method: 'POST', headers, agent: false });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  }).then(
    async (response) => ({
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      text: await text(response),
    }),
    () => ({ status: 0, retryAfter: undefined, text: '' }),
  );
  request.end(body);
  return { request, answer };
}

const statusesOf = async (sent: readonly Sent[]) =>
  (await Promise.all(sent.map(({ answer }) => answer))).map(({ status }) => status);

describe('a key that is limited', () => {
  it('is passed on to the program as it is, and two tenants then take turns', async () => {
    const { open, provider, held, ended, hasHeld } = await startShared();
    provider.behave(limitFirst(['3']));
    const [first, second] = [open('first'), open('second')];
    expect(await send(first).answer).toEqual({ status: 429, retryAfter: '3', text: limitedBody });
    const sent: Sent[] = [];
    for (const agent of [first, first, first, first, second, second]) {
      sent.push(send(agent));
      await hasHeld(sent.length);
    }
    expect(ended).toEqual([]);
    expect(provider.countBegun()).toBe(1);
    expect(await statusesOf(sent)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(held).toEqual(['first', 'first', 'first', 'first', 'second', 'second']);
    expect(ended).toEqual(['first', 'second', 'first', 'second', 'first', 'first']);
    // The key is free again.
    expect((await send(second).answer).status).toBe(200);
    expect(held).toHaveLength(6);
  });

  it.each([429, 529])(
    'is asked by one request first, and again later where it still takes none: %i',
    async (status) => {
      const { open, provider, ended, hasHeld } = await startShared();
      provider.behave(limitFirst(['3', '1'], status));
      const agent = open('one');
      await send(agent).answer;
      const sent = [send(agent), send(agent), send(agent)];
      await hasHeld(3);
      await vi.waitFor(() => expect(provider.countBegun()).toBe(2), inTime);
      expect(ended).toHaveLength(1);
      expect((await statusesOf(sent)).toSorted()).toEqual([200, 200, status]);
    },
  );

  it('that never recovers is asked once at a time, and each program has its answer', async () => {
    const { open, provider, hasHeld } = await startShared();
    provider.behave(limitFirst(['3', ...new Array(10).fill('0.2')]));
    const agents = [open('first'), open('second')];
    await send(agents[0] as OpenedRelay).answer;
    const sent = agents.flatMap((agent) => [send(agent), send(agent)]);
    await hasHeld(4);
    expect(await statusesOf(sent)).toEqual([429, 429, 429, 429]);
    expect(provider.countBegun()).toBe(5);
  });

  it('is its value at its origin: another key, another origin and errands are not held', async () => {
    const shared = await startShared();
    const { open, provider, held } = shared;
    const elsewhere = await startShared();
    provider.behave(limitFirst(['60']));
    const agent = open('one', { errands: [{ kind: 'count-tokens' }] });
    await send(agent).answer;
    const otherKey = open('one', { endpoint: { readKey: async () => 'another key' } });
    const otherOrigin = open('one', { endpoint: { baseUrl: elsewhere.provider.baseUrl } });
    expect(await statusesOf([send(otherKey), send(otherOrigin)])).toEqual([200, 200]);
    expect((await ask(agent, { path: '/v1/messages/count_tokens' })).status).toBe(200);
    expect(held).toEqual([]);
  });

  it.each([
    ['no Retry-After', undefined],
    ['one that is none', 'soon'],
    ['one of the past', 'Mon, 02 Mar 2020 10:00:05 GMT'],
  ])('is not held by %s', async (_, wait) => {
    const { open, provider, held } = await startShared();
    provider.behave(limitFirst([wait]));
    const agent = open('one');
    expect([(await send(agent).answer).status, (await send(agent).answer).status]).toEqual([429, 200]);
    expect(held).toEqual([]);
  });
});

describe('a request that is held', () => {
  it('leaves the line with its program, also where it was to try', async () => {
    const { open, provider, records, ended, hasHeld } = await startShared();
    provider.behave(limitFirst(['3']));
    const [first, second] = [open('first'), open('second')];
    await send(first).answer;
    const left = send(first);
    await hasHeld(1);
    const stays = send(second);
    await hasHeld(2);
    left.request.destroy();
    await vi.waitFor(() => expect(ended).toEqual(['first']), inTime);
    expect((await stays.answer).status).toBe(200);
    expect(provider.countBegun()).toBe(2);
    await vi.waitFor(() => expect(records).toHaveLength(3), inTime);
    expect(records[1]).toMatchObject({ status: undefined, hasLeft: false, answer: undefined });
  });

  it('ends with its turn, in the shape of its API and with the time that is left', async () => {
    const { open, provider, records, hasHeld } = await startShared();
    provider.behave(limitFirst(['60']));
    const [first, second] = [open('first'), open('second')];
    await send(first).answer;
    const [ends, stays] = [send(first), send(second)];
    await hasHeld(2);
    first.endTurn();
    const { status, retryAfter, text: body } = await ends.answer;
    expect([status, JSON.parse(body).error.type]).toEqual([429, 'rate_limit_error']);
    expect(Number(retryAfter)).toSatisfy((seconds: number) => seconds > 0 && seconds <= 60);
    await vi.waitFor(() => expect(records).toHaveLength(2), inTime);
    expect(records[1]).toMatchObject({ refused: 'relay_provider_limited', hasLeft: false, answer: undefined });
    expect(provider.countBegun()).toBe(1);
    second.close();
    expect((await stays.answer).status).toBe(0);
  });

  const shortWaits: [string, { given?: Given; limits?: RelayOptions['limits'] }][] = [
    ['its turn has not that long', { given: { findTimeLeft: () => 5_000 } }],
    ['no request may wait that long', { limits: { idleMs: 5_000 } }],
    ['too many wait already', { limits: { maxHeld: 0 } }],
  ];
  it.each(shortWaits)('is refused at once where %s', async (_, { given, limits }) => {
    const { open, provider, held } = await startShared(limits);
    provider.behave(limitFirst(['60']));
    const agent = open('one', given);
    await send(agent).answer;
    const { status, retryAfter } = await send(agent).answer;
    expect(status).toBe(429);
    expect(Number(retryAfter)).toSatisfy((seconds: number) => seconds > 50 && seconds <= 60);
    expect([held, provider.countBegun()]).toEqual([[], 1]);
  });

  it('is not read meanwhile, and comes to the provider whole', async () => {
    const { open, provider, hasHeld, records } = await startShared();
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ content: 'x'.repeat(30_000_000) }] }));
    provider.behave(limitFirst(['3']));
    const agent = open('one');
    await send(agent).answer;
    const { request, answer } = send(agent, body);
    await hasHeld(1);
    expect(request.socket?.writableLength).toBeGreaterThan(0);
    expect((await answer).status).toBe(200);
    await vi.waitFor(() => expect(records).toHaveLength(2), inTime);
    expect(records[1]).toMatchObject({ requestBytes: body.length, hasLeft: true });
  });

  it('is one of hundreds, of 20 tenants, and all are answered', async () => {
    const { open, provider, hasHeld, ended } = await startShared();
    provider.behave(limitFirst(['10']));
    const agents = Array.from({ length: 20 }, (_, index) => open(`tenant-${index}`));
    await send(agents[0] as OpenedRelay).answer;
    const sent = agents.flatMap((agent) => Array.from({ length: HELD_PER_TENANT }, () => send(agent)));
    await hasHeld(20 * HELD_PER_TENANT);
    expect(new Set(await statusesOf(sent))).toEqual(new Set([200]));
    expect(new Set(ended.slice(0, 20)).size).toBe(20);
  });
});
