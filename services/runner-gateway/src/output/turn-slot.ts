import type { Attachment, AttachmentId } from '@attache/contracts';
import {
  isAccepted,
  measureResent,
  type Refusal,
  type WireBlock,
  type WireRequest,
  type WireTurn,
} from '@attache/domain';
import type { CountedUsage } from '@attache/model-relay';
import { type HandedBytes, noteHandedOut } from '../files/handed-out.ts';
import type { RunningTurn, SeenRequest, TurnUse } from './output-sink.ts';

/** Of a generating request that left: what it held, as far as it was read, and what its provider counted. */
export type RequestUse = { blocks: readonly WireBlock[]; counted: CountedUsage | undefined };

export type TurnSlot = ReturnType<typeof createTurnSlot>;

/**
 * What an agent says belongs to the delivery that entered its turn last; what it gets from its tools, and what it asks its model, to every one
 * that is in it. `isResumed`: its program continues a conversation of a process before it. `turnMs`: what a turn may take.
 */
export function createTurnSlot({ isResumed = false, turnMs = Number.POSITIVE_INFINITY } = {}) {
  let onNoneRuns = () => {};
  let turn: RunningTurn | undefined;
  let lastAccepted: WireTurn['earlier'] = isResumed ? 'unseen' : undefined;
  const open = new Set<RunningTurn>();
  return {
    current: () => turn,
    isInTurn: () => turn !== undefined,
    setTurn(next: RunningTurn) {
      turn = next;
      next.earlier = lastAccepted;
      next.endsAtMs = performance.now() + turnMs;
      open.add(next);
    },
    // One that entered the turn later may have taken its place, and one that found it over may be about to begin the next.
    endTurn(ended: RunningTurn) {
      open.delete(ended);
      if (turn === ended) turn = [...open].at(-1);
      if (open.size === 0) onNoneRuns();
    },
    /** What is called each time that the last turn has ended. */
    whenNoneRuns(callback: () => void) {
      onNoneRuns = callback;
    },
    /** Until the first of the turns that run has to end, in milliseconds; undefined where none runs. */
    timeLeft(): number | undefined {
      if (open.size === 0) return undefined;
      return Math.min(...[...open].map(({ endsAtMs }) => endsAtMs)) - performance.now();
    },
    /** The provider did not take a request of the turn. */
    noteRefusal(refusal: Refusal) {
      for (const each of open) each.refusal = refusal;
    },
    /** Whose bytes are new in a request, by digest. */
    nameWire: (request: WireRequest): readonly (readonly [string, AttachmentId])[] =>
      [...open].flatMap((each) => [...each.nameWire(request, each)]),
    noteHandedOut(attachment: Pick<Attachment, 'id' | 'sha256'>, bytes: HandedBytes) {
      for (const { handedOut } of open) noteHandedOut(handedOut, attachment, bytes);
    },
    /**
     * A request to the model begins. What this returns is called when it has ended: with what was seen of it, or without, where it was an errand; and
     * with what it used, where it asked a model. It answers how many bytes it sent that were sent before.
     */
    noteRequest(): (request: WireRequest | undefined, use?: RequestUse) => number {
      const seen: SeenRequest = { hasEnded: false, request: undefined };
      const turns = [...open];
      const before = lastAccepted;
      for (const { requests } of turns) requests.push(seen);
      return (request, use) => {
        Object.assign(seen, { hasEnded: true, request });
        if (request?.blocks !== undefined && isAccepted(request)) lastAccepted = request;
        if (use === undefined) return 0;
        const resentBytes = measureResent(use.blocks, before);
        for (const each of turns) addUse(each.use, resentBytes, use.counted);
        return resentBytes;
      };
    },
  };
}

function addUse(sum: TurnUse, resentBytes: number, counted: CountedUsage | undefined): void {
  sum.requests += 1;
  sum.resentBytes += resentBytes;
  if (counted === undefined) return;
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = sum.counted ?? {};
  sum.counted = {
    inputTokens: inputTokens + counted.inputTokens,
    cachedInputTokens: cachedInputTokens + counted.cachedInputTokens,
    outputTokens: outputTokens + counted.outputTokens,
  };
}
