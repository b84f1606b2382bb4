import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScriptedFetch, problem, type Script } from '../__fixtures__/scripted-fetch.ts';
import { createRequester } from '../request/requester.ts';
import { createTokenKeeper } from '../request/token-keeper.ts';
import { type FollowOptions, followStream } from './follow-stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream that sends this text, and then ends, or says nothing more. */
function stream(text: string, end: 'ends' | 'stays' = 'ends'): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (end === 'ends') controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function follow(script: Script, options: FollowOptions = {}) {
  const { fetch, requests } = createScriptedFetch(script);
  const requester = createRequester({
    ...{ baseUrl: 'https://a.example', basePath: '/v1', fetch },
    tokens: createTokenKeeper(undefined),
  });
  return { requests, events: followStream<{ seq: number }>({ requester, path: '/events' }, options) };
}

/** Takes so many events, passing over every pause. */
async function take<T>(events: AsyncGenerator<T, void, undefined>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const next = events.next();
    await vi.advanceTimersByTimeAsync(60_000);
    const { value, done } = await next;
    if (done) return taken;
    taken.push(value);
  }
  return taken;
}

const event = (seq: number) => `id: ${seq}\ndata: {"seq":${seq}}\n\n`;

describe('a followed log', () => {
  it('resumes after the last id when its stream ends, however often', async () => {
    const { requests, events } = follow((_, index) => stream(event(index + 1)), { after: 0 });
    expect(await take(events, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((seq) => ({ seq })));
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    await events.return();
  });

  it('is opened again when it falls silent', async () => {
    const { requests, events } = follow((_, index) => stream(index === 0 ? event(1) : event(2), 'stays'));
    expect(await take(events, 2)).toEqual([{ seq: 1 }, { seq: 2 }]);
    expect(requests).toHaveLength(2);
    await events.return();
  });

  it('waits through an outage of any length', async () => {
    const { events } = follow((_, index) => (index < 9 ? problem(503, 'SHUTTING_DOWN') : stream(event(1))));
    expect(await take(events, 1)).toEqual([{ seq: 1 }]);
    await events.return();
  });

  it('throws where opening it again cannot help', async () => {
    const { events } = follow(() => problem(404, 'SESSION_NOT_FOUND'));
    await expect(events.next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('ends without an error when its reader aborts', async () => {
    const reader = new AbortController();
    const { events } = follow(() => stream(event(1), 'stays'), { signal: reader.signal });
    expect(await take(events, 1)).toEqual([{ seq: 1 }]);
    const next = events.next();
    reader.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('reports its state', async () => {
    const states: string[] = [];
    const { events } = follow((_, index) => stream(event(index + 1)), { onStatus: (status) => states.push(status) });
    await take(events, 2);
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
    await events.return();
  });
});
