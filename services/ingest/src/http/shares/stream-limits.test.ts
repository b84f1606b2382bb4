import { randomUUID } from 'node:crypto';
import { idFromUuid, isFault } from '@attache/contracts';
import { expect, it } from 'vitest';
import { createStreamCounter } from './stream-limits.ts';

const callerOf = (tenantId: string) => ({
  tenantId,
  actor: { type: 'key' as const, id: idFromUuid('key', randomUUID()) },
});

function openOf(counter: ReturnType<typeof createStreamCounter>, caller: ReturnType<typeof callerOf>) {
  try {
    return counter.open(caller);
  } catch (error) {
    if (isFault(error, 'RATE_LIMITED')) return 'refused';
    throw error;
  }
}

it('the streams of a credential and of a tenant are limited, and one that ends makes room [BX-27]', () => {
  const counter = createStreamCounter({ perKey: 2, perTenant: 3 });
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
  const counter = createStreamCounter({ perKey: 0, perTenant: 0 });
  const caller = callerOf('a');
  for (let count = 0; count < 5_000; count += 1) expect(openOf(counter, caller)).toBeTypeOf('function');
});
