import type { DeliveryId } from '@attache/contracts';
import type { TraceCarrier } from '@attache/telemetry';
import type { SessionKey } from './session-ownership.ts';

/** The turn that is running: what the agent says meanwhile belongs to it. */
export type RunningTurn = { deliveryId: DeliveryId; trace: TraceCarrier | undefined };

/** Whose output is recorded, and where. */
export type OutputSink = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  currentTurn: () => RunningTurn | undefined;
};
