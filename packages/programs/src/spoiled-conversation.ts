import type { TurnEnd } from '@attache/agent-process/protocol';

/** Facts about the turn that ends. */
export type EndedTurn = {
  hasAttachments: boolean;
  /** The model has produced text or called a tool: it has accepted the turn's content. */
  isAnswered: boolean;
};

/**
 * Some programs send a file that their provider refuses again with every later turn, and their protocol has no way to take it out (seen with
 * codex-acp 2.6.0, OpenCode 1.18.33 and pi 0.87.1). Rewrites each end of a turn; one that failed by what may be such a file of an earlier turn is marked.
 */
export function createSpoilWatch(): (end: TurnEnd, turn: EndedTurn) => TurnEnd {
  let mayHoldRefusedFile = false;
  return (end, { hasAttachments, isAnswered }) => {
    if (end.status === 'ended' || isAnswered) mayHoldRefusedFile = false;
    else if (end.status === 'failed' && end.mayBeRefused) {
      if (mayHoldRefusedFile) return { ...end, isSpoiled: end.mayBeRefused };
      mayHoldRefusedFile = hasAttachments;
    }
    return end;
  };
}
