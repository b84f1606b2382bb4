import type { BusMessage, ConsumerName, Subject, TraceContext } from '@attache/contracts';
import type { EarlyBlob } from '@attache/database';

/**
 * The result of handling a message:
 * - done; with `isSettled`, the transaction of its effect settled it already;
 * - left: there was nothing to do, or the work that was begun settles it by its effect; a message that only came by a ring then comes again, unless it is
 *   settled in time;
 * - for another process, which owns its session or may take it;
 * - not now: it does not count as an attempt, and without a delay the message waits longer each time;
 * - again, after a failed attempt;
 * - dead, with a reason that the operator can read.
 */
export type Settlement =
  | { as: 'ack'; isSettled?: boolean }
  | { as: 'left' }
  | { as: 'elsewhere'; owner: string | undefined }
  | { as: 'later'; delayMs?: number }
  | { as: 'retry'; delayMs: number }
  | { as: 'term'; reason: string };

/** A message to publish. The id is the event id: the receiver's inbox keys on it. */
export type NewBusMessage = {
  id: string;
  subject: Subject;
  data: { tenantId: string; sessionId: string } & Record<string, string>;
  trace?: TraceContext | undefined;
};

/** The address for rings to a consumer that owns sessions. */
export type RingAddress = {
  /** The incarnation of its process, as the sessions that it owns name it. */
  incarnation: string;
  /** Uuid of the one tenant whose sessions it takes; undefined: it takes those of all. */
  onlyTenant?: string | undefined;
};

export type ConsumeOptions = {
  consumer: ConsumerName;
  address?: RingAddress | undefined;
  /** Messages in work at once. */
  concurrency: number;
  /** The maximum of places that one tenant's rings may have; all of them by default. */
  tenantShare?: number | undefined;
  /**
   * Handles one message and says how it is settled. What it throws is settled by `settleThrown`. `head` came with a ring: the attachment or delivery that
   * the message is about, unchecked.
   */
  handle: (message: BusMessage, head?: unknown) => Promise<Settlement>;
  /** Called before a commit that will ring for a delivery with these blobs. The commit may fail. Must not throw. */
  onEarly?: ((message: BusMessage, blobs: readonly EarlyBlob[]) => void) | undefined;
  /** Whether the blob store answers, for a handler that uses it; rejects where it does not. */
  checkStore?: (() => Promise<void>) | undefined;
};

export type BusConsumer = {
  /** Takes no more messages and waits for those in work. */
  stop(): Promise<void>;
};

/**
 * The bus port: at least once, ids only. A message that is not settled within the lease, or whose process died, comes again. One that
 * fails too often, or ends without a word too often, becomes a dead letter.
 */
export interface EventBus {
  publish(message: NewBusMessage): Promise<void>;
  consume(options: ConsumeOptions): BusConsumer;
  checkReady(): Promise<void>;
}
