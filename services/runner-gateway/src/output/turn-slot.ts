import type { Attachment, AttachmentId } from '@attache/contracts';
import {
  isAccepted,
  measureResent,
  type Refusal,
  type RequestEnd,
  type WireBlock,
  type WireRequest,
  type WireTurn,
} from '@attache/domain';
import type { CountedUsage } from '@attache/model-relay';
import { type HandedBytes, noteHandedOut } from '../files/handed-out.ts';
import type { RunningTurn, SeenRequest, TurnUse } from './output-sink.ts';

/** A generating request that left: its content, as far as it was read, and the tokens that its provider counted. */
export type RequestUse = { blocks: readonly WireBlock[]; counted: CountedUsage | undefined };

export type TurnSlot = ReturnType<typeof createTurnSlot>;

/**
 * Output of an agent belongs to the delivery that entered its turn last. Results of tools, and requests to its model, belong to every delivery
 * in the turn. `isResumed`: its program continues a conversation of an earlier process. `turnMs`: how long a turn may take.
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
    /** Sets the callback for each time that the last turn has ended. */
    whenNoneRuns(callback: () => void) {
      onNoneRuns = callback;
    },
    /** Milliseconds until the first of the running turns has to end; undefined if none runs. */
    timeLeft(): number | undefined {
      if (open.size === 0) return undefined;
      return Math.min(...[...open].map(({ endsAtMs }) => endsAtMs)) - performance.now();
    },
    /** The provider did not take a request of the turn. */
    noteRefusal: (refusal: Refusal) => noteInAll(open, { refusal }),
    /** A request of the turn's own has ended. */
    noteLastEnd: (lastEnd: RequestEnd) => noteInAll(open, { lastEnd }),
    /** The attachments whose bytes are new in a request, by digest. */
    nameWire: (request: WireRequest): readonly (readonly [string, AttachmentId])[] =>
      [...open].flatMap((each) => [...each.nameWire(request, each)]),
    noteHandedOut(attachment: Pick<Attachment, 'id' | 'sha256'>, bytes: HandedBytes) {
      for (const { handedOut } of open) noteHandedOut(handedOut, attachment, bytes);
    },
    /**
     * A request to the model begins. The returned function is called when it has ended: with its content, or without if it was an errand; and
     * with its use, if it asked a model. It returns how many of its bytes had been sent before.
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

function noteInAll(open: Iterable<RunningTurn>, noted: Pick<Partial<RunningTurn>, 'refusal' | 'lastEnd'>): void {
  for (const each of open) Object.assign(each, noted);
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
