import type {
  Capability,
  ContinuedBy,
  DeliveryPlan,
  Part,
  Receipt,
  ReceiptItem,
  TurnUsage,
  Usage,
} from '@attache/contracts';
import type { WireVerdict } from '@attache/domain';
import type { HandedOut } from '../files/handed-out.ts';
import type { TurnUse } from '../output/output-sink.ts';
import { judgeOnWire, type WireEvidence } from './judge-on-wire.ts';
import { listSent, type Sent } from './list-sent.ts';

type Turn = {
  writtenAt: Date;
  respondedAt: Date;
  transport: string;
  stopReason: string;
  proof: string;
  usage?: Usage | undefined;
  removedMedia?: boolean | undefined;
  handedOut: HandedOut;
  modelCalls: ModelCalls;
  continuedBy?: ContinuedBy | undefined;
};

/**
 * How the program asked its model: by the relay, with the requests seen there; by itself, through the proxy of its sandbox if it has one; or not at all.
 */
export type ModelCalls =
  | { by: 'relay'; evidence: WireEvidence }
  | { by: 'program'; hasConnected?: boolean | undefined }
  | { by: 'nobody' };

const UNPROVEN = 'key in the child, no proof on the wire';
const BY_TOOL = 'resource.viewed';

/** The proof of what was sent: digests and forms of the bytes that left us (BX-03). One for each item, in the plan's order, and for each page of a document. */
export function composeReceipt(
  plan: DeliveryPlan,
  parts: readonly Part[],
  capability: Capability,
  turn: Turn,
): Receipt {
  const sent = listSent(plan, parts, turn.handedOut);
  const { modelCalls, stopReason } = turn;
  const onWire = modelCalls.by === 'relay' ? judgeOnWire(sent, modelCalls.evidence, stopReason === 'end_turn') : [];
  const usage = composeUsage(turn.usage, modelCalls.by === 'relay' ? modelCalls.evidence.turn.use : undefined);
  const isOnlyMedia = sent.filter(mayHoldMedia).length === 1;
  return {
    writtenAt: turn.writtenAt.toISOString(),
    respondedAt: turn.respondedAt.toISOString(),
    transport: turn.transport,
    proof: turn.proof,
    items: sent.map((each, index) => {
      const verdict = judge(capability, turn, each, isOnlyMedia);
      return { ...each.item, ...settleVerdict(turn, each, verdict, onWire[index]) };
    }),
    ...(usage ? { usage } : {}),
    ...(turn.continuedBy ? { continuedBy: turn.continuedBy } : {}),
  };
}

/** The use of a turn in its receipt: tokens as the runtime reports them, else as its provider counted; the rest as the relay saw it. */
function composeUsage(told: Usage | undefined, seen: TurnUse | undefined): TurnUsage | undefined {
  if (seen === undefined) return told;
  const { requests, resentBytes, counted } = seen;
  if (counted === undefined) return { ...told, requests, resentBytes };
  const { inputTokens, cachedInputTokens, outputTokens } = counted;
  return { inputTokens, outputTokens, ...told, cachedInputTokens, requests, resentBytes };
}

const mayHoldMedia = ({ item: { form, sha256 } }: Sent): boolean => form !== 'text' && sha256 !== undefined;

/**
 * The verdict by the transport's evidence. `delivered` needs both: evidence in the catalog that this runtime forwards this form, and a turn that ended
 * without error. Acceptance by the transport is not understanding by the model (DL-09).
 */
function judge(capability: Capability, turn: Turn, sent: Sent, isOnlyMedia: boolean): ReceiptItem['verdict'] {
  if (sent.item.sha256 === undefined) return 'unknown';
  const isByTool = sent.item.form === 'tool';
  if (turn.stopReason === 'refusal') return 'refused';
  // If there are several, the transport does not say which one was removed; nor whether it removed the answer of a tool.
  if (turn.removedMedia && mayHoldMedia(sent)) return isOnlyMedia && !isByTool ? 'refused' : 'unknown';
  const isForwarded = isByTool ? capability.tools === 'yes' : capability.forwardsNative;
  return isForwarded && turn.stopReason === 'end_turn' ? 'delivered' : 'unknown';
}

/** If the program asks its model through the relay, the requests that left decide; the transport only says what was refused. */
function settleVerdict(
  { modelCalls, proof }: Turn,
  { by }: Sent,
  verdict: ReceiptItem['verdict'],
  onWire: WireVerdict | undefined,
): Pick<ReceiptItem, 'verdict' | 'proof' | 'wire'> {
  if (by === 'none') return { verdict };
  if (verdict === 'refused') return { verdict, ...(onWire?.wire && { wire: onWire.wire }), proof };
  if (onWire?.proof !== undefined) return { ...onWire, verdict: onWire.verdict };
  if (by === 'tool') return { verdict, proof: BY_TOOL };
  if (modelCalls.by === 'relay') return { verdict: 'unknown' };
  return { verdict, proof: modelCalls.by === 'program' ? UNPROVEN : proof };
}
