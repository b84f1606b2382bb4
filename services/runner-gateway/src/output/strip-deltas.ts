import type { OutputDeltaPiece } from '@attache/agent-process';
import { createMediaStrip, type MediaPiece } from '@attache/domain';

/** No word is as long: text with this many characters without a break is held back until it is known whether it is media. */
const HOLD_FROM_LENGTH = 64;

export type DeltaStrip = {
  push(delta: OutputDeltaPiece): void;
  /** The item is finished: the rest that was held back is given out. */
  end(): void;
};

/**
 * Takes media out of an agent's text while it comes, over the borders of the pieces (SR-24). A delta is not stored, so its media is not
 * kept either: the finished item has it, and here a note describes it.
 */
export function createDeltaStrip(send: (delta: OutputDeltaPiece) => void): DeltaStrip {
  let type: OutputDeltaPiece['type'] = 'text';
  const strip = createMediaStrip({ holdFromLength: HOLD_FROM_LENGTH });
  let takenBytes = 0;

  const give = (pieces: readonly MediaPiece[]) => {
    let text = '';
    for (const piece of pieces) {
      if (piece.type === 'text') text += piece.text;
      else if (piece.type === 'open') takenBytes = 0;
      else if (piece.type === 'bytes') takenBytes += piece.bytes.length;
      else text += `[${piece.mimeType ?? 'data'} of ${takenBytes} bytes]`;
    }
    if (text !== '') send({ type, text });
  };
  const end = () => give(strip.end());

  return {
    push(delta) {
      if (delta.type !== type) end();
      type = delta.type;
      give(strip.push(delta.text));
    },
    end,
  };
}
