import type { ContinuedBy } from '@attache/contracts';

/** What the process of an agent began with. */
export type AgentMemory = {
  /** What was tried; the receipt of its first turn says it. */
  continuedBy: ContinuedBy;
  /** Its program was asked to continue a conversation, and did not. */
  isResumeRefused: boolean;
  /** Nothing was written to it so far. */
  isAtFirstTurn: boolean;
};

/** Before it is known whether there is anything to remember. */
export function beginMemory(resumeReference: string | undefined, isResumed: boolean): AgentMemory {
  return {
    continuedBy: isResumed ? 'resume' : 'fresh',
    isResumeRefused: resumeReference !== undefined && !isResumed,
    isAtFirstTurn: true,
  };
}

/** Whether its history goes before the next message. */
export const mustBeTold = ({ continuedBy, isAtFirstTurn }: AgentMemory): boolean =>
  isAtFirstTurn && continuedBy === 'rebuild';
