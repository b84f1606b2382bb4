import type { AttachmentId, DeliveryId } from '@attache/contracts';
import type { Refusal, WireRequest, WireTurn } from '@attache/domain';
import type { CountedUsage } from '@attache/model-relay';
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
  /** The last one of the provider to a request of the turn. */
  refusal: Refusal | undefined;
  /** Whose bytes are new in a request, by digest. */
  nameWire(request: WireRequest, turn: RunningTurn): ReadonlyMap<string, AttachmentId>;
  /** What these requests used, as far as they have ended. */
  use: TurnUse;
  /** How often the wait for a provider was noted in its timeline. */
  waitCount: number;
  /** When its agent has to have ended it, by `performance.now()`. */
  endsAtMs: number;
  /** Why something that the agent said of it is not in the log. */
  lostOutput: { error: unknown } | undefined;
};

/** Generating requests that left, errands included, and what they sent again in bytes. `counted`: undefined where no provider counted. */
export type TurnUse = { requests: number; resentBytes: number; counted: CountedUsage | undefined };

/** A request to a model; without `request` it has not ended, or was an errand. */
export type SeenRequest = { hasEnded: boolean; request: WireRequest | undefined };

export const openTurn = (
  turn: Pick<RunningTurn, 'deliveryId' | 'trace'> & Partial<Pick<RunningTurn, 'nameWire'>>,
): RunningTurn => ({
  nameWire: () => new Map(),
  ...turn,
  handedOut: new Map(),
  requests: [],
  earlier: undefined,
  refusal: undefined,
  use: { requests: 0, resentBytes: 0, counted: undefined },
  waitCount: 0,
  endsAtMs: Number.POSITIVE_INFINITY,
  lostOutput: undefined,
});

/** Whose output is recorded, and where. */
export type OutputSink = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  currentTurn: () => RunningTurn | undefined;
};
