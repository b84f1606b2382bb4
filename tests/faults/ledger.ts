import { randomUUID } from 'node:crypto';
import type { Agent, Delivery, DeliveryStatus, Session } from '@attache/contracts';

/** An upload that was begun; it is owed once `attachmentId` is there. */
export type BegunUpload = {
  idempotencyKey: string;
  sessionId: string;
  name: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  attachmentId?: string;
};

/** A message that was begun; it is owed once `deliveryIds` are there. */
export type BegunMessage = {
  idempotencyKey: string;
  sessionId: string;
  body: { to: string[]; text: string; attachmentIds: string[] };
  deliveryIds?: string[];
};

export type KnownSession = { session: Session; agents: Agent[] };

/** The promises to a client of one data folder over all of its lives. */
export type Ledger = {
  dataDir: string;
  sessions: KnownSession[];
  uploads: BegunUpload[];
  messages: BegunMessage[];
  /** When each process was surely dead, in ms. */
  killedAt: number[];
  /** How many answers were lost and asked for again. */
  repeated: number;
  statusesAtKill: Map<DeliveryStatus, number>;
  settled: Map<string, Delivery>;
};

export function openLedger(dataDir: string): Ledger {
  return {
    dataDir,
    sessions: [],
    uploads: [],
    messages: [],
    killedAt: [],
    repeated: 0,
    statusesAtKill: new Map(),
    settled: new Map(),
  };
}

export const newKey = (): string => randomUUID();
