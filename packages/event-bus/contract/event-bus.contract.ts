import { afterAll, beforeAll, describe } from 'vitest';
import { describeBusFailures } from './event-bus-failures.contract.ts';
import { describeBusFlow } from './event-bus-flow.contract.ts';
import type { EventBusSuite, OpenedEventBus } from './event-bus-suite.contract.ts';

export type { DeadMessage, OpenedEventBus } from './event-bus-suite.contract.ts';

// So long that no handler that settles exceeds it, even on a slow machine.
const LONG_LEASE_MS = 60_000;

/** The behaviour that every event bus must show, tested on a real one. Every test has a tenant of its own, so that one bus serves all. */
export function describeEventBus(name: string, open: (options: { leaseMs: number }) => Promise<OpenedEventBus>): void {
  describe(`${name}: event bus contract`, () => {
    let opened: OpenedEventBus | undefined;
    beforeAll(async () => {
      opened = await open({ leaseMs: LONG_LEASE_MS });
    });
    afterAll(() => opened?.close());
    const suite: EventBusSuite = {
      useOpened() {
        if (!opened) throw new Error('The bus is not open.');
        return opened;
      },
      openWithLease: (leaseMs) => open({ leaseMs }),
    };
    describe('flow', () => describeBusFlow(suite));
    describe('failures', () => describeBusFailures(suite));
  });
}
