import type { Attachment } from '@attache/contracts';
import { type HandedBytes, noteHandedOut } from '../files/handed-out.ts';
import type { RunningTurn } from '../output/output-sink.ts';

/** What an agent says belongs to the delivery that entered its turn last; what it gets from its tools, to every one that is in it. */
export function createTurnSlot() {
  let turn: RunningTurn | undefined;
  const open = new Set<RunningTurn>();
  return {
    current: () => turn,
    setTurn(next: RunningTurn) {
      turn = next;
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
  };
}
