import type { Database } from '@attache/database';
import { createLogger } from '@attache/telemetry';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { watchOrphans } from './watch-orphans.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const sessionOf = (name: string): SessionKey => ({ tenantId: 't', sessionId: name });

/** A gateway that looks for orphans; what it finds and what becomes of it the test says. */
function given({ isShared = true } = {}) {
  const state = {
    orphans: [] as SessionKey[],
    fenced: [] as SessionKey[],
    isEntitled: true,
    isLastChoice: false,
    looks: 0,
    taken: [] as string[],
    refuse: new Set<string>(),
  };
  let ring = () => {};
  const db = {
    async call() {
      state.looks += 1;
      return state.orphans;
    },
  } as unknown as Database;
  const watch = watchOrphans({
    ...{ db, isShared, onlyTenant: undefined, log: createLogger({ service: 'test', level: 'silent' }) },
    doorbells: {
      listen(_bell, onRing) {
        ring = onRing;
        return () => {};
      },
    },
    ownership: {
      identity: { replicaId: 'one', incarnation: 'i' },
      isWaiting: () => true,
      fenced: () => state.fenced,
    },
    sessions: {
      async visit({ sessionId }) {
        if (state.refuse.delete(sessionId)) throw new Error('not now');
        state.taken.push(sessionId);
        state.fenced = state.fenced.filter((one) => one.sessionId !== sessionId);
        return { [Symbol.dispose]() {} };
      },
    },
    isEntitled: () => state.isEntitled,
    isLastChoice: () => state.isLastChoice,
  });
  return { state, watch, ring: () => ring() };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('looks for sessions each second and when it is rung for, and takes those that it finds [BX-16]', async () => {
  const { state, watch, ring } = given();
  state.orphans = [sessionOf('a'), sessionOf('b')];
  await pass(1_000);
  expect(state.taken.toSorted()).toEqual(['a', 'b']);
  state.orphans = [sessionOf('c')];
  ring();
  await pass(0);
  expect(state.taken.at(-1)).toBe('c');
  await watch.stop();
});

it('takes sessions that it had to give up again, with the first looks that succeed [BX-16 W16]', async () => {
  const { state, watch } = given();
  state.fenced = [sessionOf('mine')];
  state.refuse.add('mine');
  await pass(1_000);
  expect(state.taken).toEqual([]);
  await pass(1_000);
  expect(state.taken).toEqual(['mine']);
  await pass(2_000);
  expect(state.taken).toEqual(['mine']);
  await watch.stop();
});

it('takes nothing while it may not', async () => {
  const { state, watch, ring } = given();
  state.isEntitled = false;
  state.orphans = [sessionOf('a')];
  await pass(3_000);
  ring();
  await pass(0);
  expect([state.looks, state.taken]).toEqual([0, []]);
  await watch.stop();
});

it('leaves two looks in a row to a gateway that has the room which it lacks, and then looks itself', async () => {
  const { state, watch } = given();
  state.isLastChoice = true;
  state.orphans = [sessionOf('a')];
  await pass(2_000);
  expect(state.looks).toBe(0);
  await pass(1_000);
  expect(state.taken).toEqual(['a']);
  await watch.stop();
});

it('does not look by itself where no other gateway leaves any', async () => {
  const { state, watch } = given({ isShared: false });
  state.orphans = [sessionOf('a')];
  await pass(5_000);
  expect(state.looks).toBe(0);
  await watch.stop();
});
