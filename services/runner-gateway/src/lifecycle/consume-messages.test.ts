import { randomUUID } from 'node:crypto';
import type { BusMessage } from '@attache/contracts';
import type { ConsumeOptions } from '@attache/event-bus';
import { expect, it } from 'vitest';
import { consumeMessages } from './consume-messages.ts';

const data = { tenantId: randomUUID(), sessionId: randomUUID(), deliveryId: randomUUID(), agentId: randomUUID() };
const prepared = { subject: 'delivery.prepared', data } as BusMessage;
const blobs = [{ key: 'one', sizeBytes: 7 }];

/** Collects the bytes that a gateway fetches when it learns of a delivery early. */
function fetchedOf(message: BusMessage, { isHeld = true, hasProcess = true, isBusy = false } = {}) {
  const fetched: unknown[] = [];
  let options: ConsumeOptions | undefined;
  const deps = {
    bus: {
      consume(given: ConsumeOptions) {
        options = given;
      },
    },
    ownership: { identity: { incarnation: randomUUID() }, isHeld: () => isHeld },
    host: { hasProcess: () => hasProcess },
    early: { begin: (named: unknown) => void fetched.push(named) },
    settings: {},
  };
  const lanes = { isBusy: () => isBusy };
  consumeMessages({ deps, lanes } as unknown as Parameters<typeof consumeMessages>[0]);
  options?.onEarly?.(message, blobs);
  return fetched;
}

it('fetches early for an agent that runs in a session of its own in which nothing is under way', () => {
  expect(fetchedOf(prepared)).toEqual([blobs]);
});

it.each([
  ['of a session of another gateway', prepared, { isHeld: false }],
  ['for an agent that does not run', prepared, { hasProcess: false }],
  ['where something is under way', prepared, { isBusy: true }],
  ['for no agent', { ...prepared, data: { ...data, agentId: undefined } }, {}],
  ['for what is no delivery', { ...prepared, subject: 'agent.removed' }, {}],
])('fetches nothing %s', (_, message, at) => {
  expect(fetchedOf(message as BusMessage, at)).toEqual([]);
});
