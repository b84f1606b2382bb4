// hosted: long – another process is met in interrupt.test.ts, too
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

it('a message that comes while its agent is stopped for its rest gets a process of its own [DL-05 DL-52]', async () => {
  const place = await stack.api.createSession({ profile: 'restless', model: 'any' });
  for (let pauseMs = 0; pauseMs < 40; pauseMs += 4) {
    expect((await takeTurn(stack.api, place, `after ${pauseMs} ms`)).delivery.status).toBe('responded');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const stopped = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'agent.stopped');
  expect(stopped.length).toBeGreaterThan(1);
  expect(new Set(stopped.map(({ data }) => data.reason))).toEqual(new Set(['idle']));
});
