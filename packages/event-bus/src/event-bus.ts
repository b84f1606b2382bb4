import type { BusMessage, ConsumerName, Subject, TraceContext } from '@attache/contracts';

/** How a message is settled: done; again after a delay; or dead, with a reason that the operator can read. */
export type Settlement = { as: 'ack' } | { as: 'nak'; delayMs: number } | { as: 'term'; reason: string };

/** A message to publish. The id is the event id: the receiver's inbox keys on it. */
export type NewBusMessage = {
  id: string;
  subject: Subject;
  data: { tenantId: string; sessionId: string } & Record<string, string>;
  trace?: TraceContext | undefined;
};

export type ConsumeOptions = {
  consumer: ConsumerName;
  /** Messages in work at once. */
  concurrency: number;
  /** Handles one message and says how it is settled. What it throws is settled by `settleError`. */
  handle: (message: BusMessage) => Promise<Settlement>;
};

export type BusConsumer = {
  /** Takes no more messages and waits for those in work. */
  stop(): Promise<void>;
};

/**
 * The bus port: at least once, ids only. A message that is not settled within the lease comes again; one that fails too often
 * becomes a dead letter.
 */
export interface EventBus {
  publish(message: NewBusMessage): Promise<void>;
  consume(options: ConsumeOptions): BusConsumer;
  checkReady(): Promise<void>;
}
