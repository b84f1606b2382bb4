import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPreviews } from './previews.ts';

const flush = () => new Promise((resolve) => setImmediate(resolve));

/** Previews that last until a test ends them, each of so many bytes. */
function openFixture() {
  const previews = createPreviews();
  const begun: [name: string, hasWaited: boolean][] = [];
  const finish = new Map<string, () => void>();
  const admitted: string[] = [];
  const add = (name: string, { tenantId = 'a', sizeBytes = 1 } = {}) => {
    const make = async (hasWaited: boolean) => {
      begun.push([name, hasWaited]);
      await new Promise<void>((resolve) => finish.set(name, resolve));
    };
    void previews.add({ tenantId, sizeBytes, make }).then(() => admitted.push(name));
  };
  const end = async (...names: string[]) => {
    for (const name of names) {
      finish.get(name)?.();
      await flush();
    }
  };
  return { previews, begun, admitted, add, end };
}

const number = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`);

it('makes a few of a tenant at once, in their order, and those of another beside them [BX-27]', async () => {
  const { begun, add, end } = openFixture();
  for (const name of number('a', 6)) add(name);
  add('b0', { tenantId: 'b' });
  await flush();
  expect(begun.map(([name]) => name)).toEqual(['a0', 'a1', 'a2', 'a3', 'b0']);
  await end('a2', 'a0');
  expect(begun.slice(5)).toEqual([
    ['a4', true],
    ['a5', true],
  ]);
});

it('lets no more come while those that wait have no room, be it for their bytes or for their number', async () => {
  const { admitted, add, end } = openFixture();
  add('large', { sizeBytes: 256 * 1024 * 1024 });
  await flush();
  expect(admitted).toEqual(['large']);
  add('more');
  await flush();
  expect(admitted).toEqual(['large']);
  await end('more');
  expect(admitted).toEqual(['large', 'more']);
  await end('large');
  for (const name of number('n', 1_001)) add(name);
  await flush();
  expect(admitted.length).toBe(1_002);
});

it('takes one that fails for one that is made', async () => {
  const { previews, begun, add } = openFixture();
  const make = () => Promise.reject(new Error('no room on the disk'));
  await Promise.all(number('a', 6).map(() => previews.add({ tenantId: 'a', sizeBytes: 1, make })));
  await previews.settle();
  add('next');
  await flush();
  expect(begun).toEqual([['next', false]]);
});

it('is settled when none is left, also of those that came meanwhile', async () => {
  const { previews, add, end } = openFixture();
  for (const name of number('a', 5)) add(name);
  let isSettled = false;
  const settled = previews.settle().then(() => {
    isSettled = true;
  });
  await flush();
  add('late', { tenantId: 'b' });
  await end(...number('a', 5));
  expect(isSettled).toBe(false);
  await end('late');
  await settled;
});

describe('while other messages come', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await flush();
  };

  it('begins none, and those in their order once none has come for a moment', async () => {
    const { previews, begun, add } = openFixture();
    for (let sent = 0; sent < 20; sent += 1) {
      previews.postpone();
      if (sent < 3) add(`a${sent}`);
      await pass(50);
    }
    expect(begun).toEqual([]);
    await pass(100);
    expect(begun.map(([name]) => name)).toEqual(['a0', 'a1', 'a2']);
  });

  it('begins what has waited for seconds, which then may be of an attachment that is gone', async () => {
    const { previews, begun, add, end } = openFixture();
    previews.postpone();
    for (const name of number('a', 6)) add(name);
    for (let sent = 0; sent < 100; sent += 1) {
      await pass(50);
      previews.postpone();
    }
    await pass(50);
    expect(begun).toEqual(number('a', 4).map((name) => [name, true]));
    // Those behind them have waited as long.
    await end('a0', 'a1');
    expect(begun.slice(4)).toEqual([
      ['a4', true],
      ['a5', true],
    ]);
  });

  it.each([
    ['their number', { names: number('n', 501), sizeBytes: 1 }],
    ['their bytes', { names: number('n', 5), sizeBytes: 30 * 1024 * 1024 }],
  ])('begins some where half of the room is taken by %s', async (_, { names, sizeBytes }) => {
    const { previews, begun, add } = openFixture();
    previews.postpone();
    for (const name of names) add(name, { sizeBytes });
    await pass(50);
    previews.postpone();
    await pass(60);
    expect(begun.length).toBe(4);
  });

  it('has all begin where they are to be settled', async () => {
    const { previews, begun, add } = openFixture();
    previews.postpone();
    add('a');
    await pass(10);
    void previews.settle();
    await pass(100);
    expect(begun).toEqual([['a', false]]);
  });
});
