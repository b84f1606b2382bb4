import type { Attachment } from '@attache/contracts';
import { isAccepted, type WireRequest, type WireTurn } from '@attache/domain';
import { type HandedBytes, noteHandedOut } from '../files/handed-out.ts';
import type { RunningTurn, SeenRequest } from './output-sink.ts';

export type TurnSlot = ReturnType<typeof createTurnSlot>;

/**
 * What an agent says belongs to the delivery that entered its turn last; what it gets from its tools, and what it asks its model, to every one
 * that is in it. `isResumed`: its program continues a conversation of a process before it.
 */
export function createTurnSlot({ isResumed = false } = {}) {
  let turn: RunningTurn | undefined;
  let lastAccepted: WireTurn['earlier'] = isResumed ? 'unseen' : undefined;
  const open = new Set<RunningTurn>();
  return {
    current: () => turn,
    setTurn(next: RunningTurn) {
      turn = next;
      next.earlier = lastAccepted;
      open.add(next);
    },
    // One that entered the turn later may have taken its place.
    endTurn(ended: RunningTurn) {
      open.delete(ended);
      if (turn === ended) turn = undefined;
    },
    noteHandedOut(attachment: Pick<Attachment, 'id' | 'sha256'>, bytes: HandedBytes) {
      for (const { handedOut } of open) noteHandedOut(handedOut, attachment, bytes);
    },
    /** A request to the model begins. What this returns is called when it has ended: with what was seen of it, or without, where it was an errand. */
    noteRequest(): (request: WireRequest | undefined) => void {
      const seen: SeenRequest = { hasEnded: false, request: undefined };
      for (const { requests } of open) requests.push(seen);
      return (request) => {
        Object.assign(seen, { hasEnded: true, request });
        if (request?.blocks !== undefined && isAccepted(request)) lastAccepted = request;
      };
    },
  };
}
