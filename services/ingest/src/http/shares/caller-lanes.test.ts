import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCallerLanes } from './caller-lanes.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** Work that ends on demand. */
function makeWork(tenantId: string) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => async () => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
    return { tenantId };
  };
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, work, endFirst };
}

it('requests of a tenant run few at a time and in their order, and none waits for another tenant [BX-27]', async () => {
  const lanes = createCallerLanes(2);
  const [loud, quiet] = [makeWork('loud'), makeWork('quiet')];
  for (const name of ['1', '2', '3', '4']) void lanes.run({ tenantId: 'loud', credential: 'key' }, loud.work(name));
  void lanes.run({ tenantId: 'quiet', credential: 'key' }, quiet.work('own'));
  await settle();
  expect([loud.begun, quiet.begun]).toEqual([['1', '2'], ['own']]);
  await loud.endFirst();
  expect(loud.begun).toEqual(['1', '2', '3']);
  await loud.endFirst();
  await loud.endFirst();
  expect(loud.begun).toEqual(['1', '2', '3', '4']);
});

it('credentials of a tenant take turns, so that none waits for all requests of another [BX-27]', async () => {
  const lanes = createCallerLanes(1);
  const { begun, work, endFirst } = makeWork('a');
  const ask = (credential: string, name: string) => void lanes.run({ tenantId: 'a', credential }, work(name));
  for (const name of ['1', '2', '3', '4']) ask('loud', name);
  for (const name of ['one', 'two']) ask('quiet', name);
  await settle();
  for (let count = 0; count < 5; count += 1) await endFirst();
  expect(begun).toEqual(['1', '2', 'one', '3', 'two', '4']);
});

it('a request that fails gives its place on', async () => {
  const lanes = createCallerLanes(1);
  const failed = lanes.run({ tenantId: 'a', credential: 'key' }, () => Promise.reject(new Error('no')));
  const next = lanes.run({ tenantId: 'a', credential: 'key' }, async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('a key that was never admitted waits among such keys, and one that was among the requests of its tenant [BX-27]', async () => {
  const lanes = createCallerLanes(1);
  const [mine, stranger] = [makeWork('mine'), makeWork('stranger')];
  const first = lanes.runForKey('key', mine.work('first'));
  await settle();
  await mine.endFirst();
  await first;
  void lanes.runForKey('unknown', stranger.work('1'));
  void lanes.runForKey('other', stranger.work('2'));
  void lanes.runForKey('key', mine.work('second'));
  await settle();
  expect([stranger.begun, mine.begun]).toEqual([['1'], ['first', 'second']]);
  void lanes.run({ tenantId: 'mine', credential: 'key' }, mine.work('third'));
  await settle();
  expect(mine.begun).toEqual(['first', 'second']);
});
