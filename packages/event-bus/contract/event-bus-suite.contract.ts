import type { EventBus } from '../src/event-bus.ts';

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
  /** The bus again, with another lease. The caller closes it. */
  openWithLease(leaseMs: number): Promise<OpenedEventBus>;
};
