import type { AttachmentId, DeliveryId } from '@attache/contracts';
import type { TraceCarrier } from '@attache/telemetry';
import type { HandedBytes } from '../files/handed-out.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** The turn that is running: what the agent says and gets meanwhile belongs to it. */
export type RunningTurn = {
  deliveryId: DeliveryId;
  trace: TraceCarrier | undefined;
  /** What its tools gave the agent, by attachment. */
  handedOut: Map<AttachmentId, HandedBytes>;
};

/** Whose output is recorded, and where. */
export type OutputSink = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  currentTurn: () => RunningTurn | undefined;
};
