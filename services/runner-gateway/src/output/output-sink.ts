import type { AttachmentId, DeliveryId } from '@attache/contracts';
import type { WireRequest, WireTurn } from '@attache/domain';
import type { TraceCarrier } from '@attache/telemetry';
import type { HandedBytes } from '../files/handed-out.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** The turn that is running: what the agent says and gets meanwhile belongs to it. */
export type RunningTurn = {
  deliveryId: DeliveryId;
  trace: TraceCarrier | undefined;
  /** What its tools gave the agent, by attachment. */
  handedOut: Map<AttachmentId, HandedBytes>;
  /** What its program asked its model by the relay, in the order of the beginnings. */
  requests: SeenRequest[];
  /** The last one before it that was a turn's own and was accepted. */
  earlier: WireTurn['earlier'];
};

/** A request to a model; without `request` it has not ended, or was an errand. */
export type SeenRequest = { hasEnded: boolean; request: WireRequest | undefined };

export const openTurn = (turn: Pick<RunningTurn, 'deliveryId' | 'trace'>): RunningTurn => ({
  ...turn,
  handedOut: new Map(),
  requests: [],
  earlier: undefined,
});

/** Whose output is recorded, and where. */
export type OutputSink = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  currentTurn: () => RunningTurn | undefined;
};
