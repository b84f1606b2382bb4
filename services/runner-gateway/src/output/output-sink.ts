import type { AttachmentId, DeliveryId } from '@attache/contracts';
import type { Refusal, RequestEnd, WireRequest, WireTurn } from '@attache/domain';
import type { CountedUsage } from '@attache/model-relay';
import type { TraceCarrier } from '@attache/telemetry';
import type { HandedBytes } from '../files/handed-out.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** The turn that is running: the agent's output and the files that it gets meanwhile belong to it. */
export type RunningTurn = {
  deliveryId: DeliveryId;
  trace: TraceCarrier | undefined;
  /** The bytes that its tools gave the agent, by attachment. */
  handedOut: Map<AttachmentId, HandedBytes>;
  /** The requests of its program to its model through the relay, in the order in which they began. */
  requests: SeenRequest[];
  /** The last request before it that was a turn's own and was accepted. */
  earlier: WireTurn['earlier'];
  /** The provider's last refusal of a request of the turn. */
  refusal: Refusal | undefined;
  /** How the last request of the turn's own ended; undefined before one has. */
  lastEnd: RequestEnd | undefined;
  /** The attachments whose bytes are new in a request, by digest. */
  nameWire(request: WireRequest, turn: RunningTurn): ReadonlyMap<string, AttachmentId>;
  /** The use of these requests, as far as they have ended. */
  use: TurnUse;
  /** How often the wait for a provider was noted in its timeline. */
  waitCount: number;
  /** When its agent has to have ended it, by `performance.now()`. */
  endsAtMs: number;
  /** Why a part of the agent's output is not in the log. */
  lostOutput: { error: unknown } | undefined;
};

/** Generating requests that left, errands included, and the bytes that they sent again. `counted`: undefined if no provider counted. */
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
  lastEnd: undefined,
  use: { requests: 0, resentBytes: 0, counted: undefined },
  waitCount: 0,
  endsAtMs: Number.POSITIVE_INFINITY,
  lostOutput: undefined,
});

/** The agent whose output is recorded, with its session and its turn. */
export type OutputSink = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  currentTurn: () => RunningTurn | undefined;
};
