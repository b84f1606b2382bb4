import { expect, it, vi } from 'vitest';
import { type AskOrigin, createKeptOrigins, KEPT_ORIGIN_MS } from './kept-origins.ts';

const origin = 'https://a.example';

function open(answer: AskOrigin, max?: number) {
  let nowMs = 1_000;
  const ask = vi.fn(answer);
  const kept = createKeptOrigins(ask, { now: () => nowMs, ...(max === undefined ? {} : { max }) });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { ask, kept, pass };
}

it.each([true, false])('an answer is kept for some seconds, whichever it is: %s', async (answer) => {
  const { ask, kept, pass } = open(async () => answer);
  expect(kept.isKept(origin)).toBe(false);
  expect(await kept.isAllowed(origin)).toBe(answer);
  pass(KEPT_ORIGIN_MS - 1);
  expect([kept.isKept(origin), await kept.isAllowed(origin)]).toEqual([true, answer]);
  expect(ask).toHaveBeenCalledTimes(1);
  pass(1);
  expect([kept.isKept(origin), await kept.isAllowed(origin)]).toEqual([false, answer]);
  expect(ask).toHaveBeenCalledTimes(2);
});

it('the answer for a tenant is not that for another, or for any', async () => {
  const { kept } = open(async (_, tenantId) => tenantId === 'mine');
  expect([await kept.isAllowed(origin, 'mine'), await kept.isAllowed(origin, 'other')]).toEqual([true, false]);
  expect(await kept.isAllowed(origin)).toBe(false);
});

it('many who ask at the same time cost one look-up', async () => {
  const { ask, kept } = open(async () => true);
  expect(await Promise.all(Array.from({ length: 9 }, () => kept.isAllowed(origin)))).not.toContain(false);
  expect(ask).toHaveBeenCalledTimes(1);
});

it('the oldest answer makes room', async () => {
  const { ask, kept } = open(async () => true, 2);
  for (const host of ['a', 'b', 'c', 'c']) await kept.isAllowed(`https://${host}.example`);
  expect(ask).toHaveBeenCalledTimes(3);
  expect(kept.isKept('https://a.example')).toBe(false);
  expect(kept.isKept('https://b.example')).toBe(true);
});

it('after a change nothing older is answered, not even by a look-up that was under way', async () => {
  const answers = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
  let asked = 0;
  const { kept } = open(async () => answers[asked++]?.promise ?? false);
  const before = kept.isAllowed(origin);
  kept.forget('mine', [origin]);
  const after = kept.isAllowed(origin);
  answers[1]?.resolve(true);
  expect(await after).toBe(true);
  answers[0]?.resolve(false);
  expect(await before).toBe(false);
  expect(await kept.isAllowed(origin)).toBe(true);
});

it('a look-up that fails leaves the answer before it; without one it is a failure', async () => {
  const answers: (() => Promise<boolean>)[] = [async () => true];
  const down = async () => {
    throw new Error('down');
  };
  const { kept, pass } = open(() => (answers.shift() ?? down)());
  expect(await kept.isAllowed(origin)).toBe(true);
  pass(KEPT_ORIGIN_MS);
  expect(await kept.isAllowed(origin)).toBe(true);
  await expect(kept.isAllowed('https://b.example')).rejects.toThrow('down');
});

it('a change renews the answers of its own origins and tenant alone', async () => {
  const { ask, kept } = open(async () => true);
  const other = 'https://b.example';
  const askAll = async () => {
    for (const tenantId of [undefined, 'mine', 'theirs']) {
      for (const each of [origin, other]) await kept.isAllowed(each, tenantId);
    }
  };
  await askAll();
  ask.mockClear();
  kept.forget('mine', [origin]);
  await askAll();
  expect(ask.mock.calls).toEqual([
    [origin, undefined],
    [origin, 'mine'],
  ]);
});

it('a yes is remembered after it is old, until a look-up or a change says otherwise', async () => {
  let answer = true;
  const { kept, pass } = open(async () => answer);
  expect(kept.wasAllowed(origin)).toBe(false);
  await kept.isAllowed(origin);
  pass(KEPT_ORIGIN_MS);
  expect(kept.wasAllowed(origin)).toBe(true);
  kept.forget('mine', [origin]);
  expect(kept.wasAllowed(origin)).toBe(false);
  await kept.isAllowed(origin);
  answer = false;
  pass(KEPT_ORIGIN_MS);
  await kept.isAllowed(origin);
  expect(kept.wasAllowed(origin)).toBe(false);
});
