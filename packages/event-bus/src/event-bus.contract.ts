import { afterAll, beforeAll, describe } from 'vitest';
import type { EventBus } from './event-bus.ts';
import { describeBusFailures } from './event-bus-failures.contract.ts';
import { describeBusFlow } from './event-bus-flow.contract.ts';

/** A message that was given up, as the operator finds it. */
export type DeadMessage = { id: string; consumer: string; reason: string; attempts: number };

/** A bus that is used by one suite; `close` removes what it holds. */
export type OpenedEventBus = {
  bus: EventBus;
  readDead(tenantId: string): Promise<DeadMessage[]>;
  close(): Promise<void>;
};

export type EventBusSuite = {
  useOpened(): OpenedEventBus;
  /** The bus once more, with another lease. The caller closes it. */
  openWithLease(leaseMs: number): Promise<OpenedEventBus>;
};

// So long that no slow machine outlives it in a handler that settles.
const LONG_LEASE_MS = 60_000;

/** What every event bus does, on a real one. Every test has a tenant of its own, so that one bus serves all. */
export function describeEventBus(name: string, open: (options: { leaseMs: number }) => Promise<OpenedEventBus>): void {
  describe(`${name}: event bus contract`, () => {
    let opened: OpenedEventBus | undefined;
    beforeAll(async () => {
      opened = await open({ leaseMs: LONG_LEASE_MS });
    }, 60_000);
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
