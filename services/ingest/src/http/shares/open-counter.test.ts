import { randomUUID } from 'node:crypto';
import { idFromUuid, isFault } from '@attache/contracts';
import { expect, it } from 'vitest';
import { createOpenCounter } from './open-counter.ts';

const words = { tooMany: 'reads too many things', todo: 'Wait.' };

const callerOf = (tenantId: string) => ({
  tenantId,
  actor: { type: 'key' as const, id: idFromUuid('key', randomUUID()) },
});

function openOf(counter: ReturnType<typeof createOpenCounter>, caller: ReturnType<typeof callerOf>) {
  try {
    return counter.open(caller);
  } catch (error) {
    if (isFault(error, 'RATE_LIMITED')) return 'refused';
    throw error;
  }
}

it('the streams of a credential and of a tenant are limited, and one that ends makes room [BX-27]', () => {
  const counter = createOpenCounter({ perKey: 2, perTenant: 3 }, words);
  const [one, other, foreign] = [callerOf('a'), callerOf('a'), callerOf('b')];
  const first = openOf(counter, one);
  expect([openOf(counter, one), openOf(counter, one)]).toEqual([expect.any(Function), 'refused']);
  expect([openOf(counter, other), openOf(counter, other)]).toEqual([expect.any(Function), 'refused']);
  expect(openOf(counter, foreign)).toBeTypeOf('function');
  if (typeof first !== 'function') throw new Error('the first stream was refused');
  first();
  first();
  expect([openOf(counter, other), openOf(counter, one)]).toEqual([expect.any(Function), 'refused']);
});

it('are not limited by 0', () => {
  const counter = createOpenCounter({ perKey: 0, perTenant: 0 }, words);
  const caller = callerOf('a');
  for (let count = 0; count < 5_000; count += 1) expect(openOf(counter, caller)).toBeTypeOf('function');
});

it('of all tenants together are limited, and each keeps its own part [BX-32]', () => {
  const counter = createOpenCounter({ perKey: 2, perTenant: 2, all: 3 }, words);
  const callers = ['a', 'b', 'c'].map(callerOf);
  const open = () => callers.map((caller) => openOf(counter, caller) !== 'refused');
  expect(open()).toEqual([true, true, true]);
  expect(() => callers.map((caller) => counter.open(caller))).toThrow(
    expect.objectContaining({ code: 'BACKLOG_FULL' }),
  );
});
