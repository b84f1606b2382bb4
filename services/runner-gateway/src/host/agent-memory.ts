import type { ContinuedBy } from '@attache/contracts';
import type { RecalledMemory } from '../memory/recall-memory.ts';

/** The state of memory with which an agent's process began. */
export type AgentMemory = {
  /** How it was to be continued; the receipt of its first turn says so. */
  continuedBy: ContinuedBy;
  /** Its program was asked to continue a conversation, and did not. */
  isResumeRefused: boolean;
  lack: RecalledMemory['lack'];
  /** The files that came back; undefined if none did. */
  restored: { files: number; sizeBytes: number } | undefined;
  /** It was asked to continue, and its first request shows that it began with nothing: its next message goes to another process. */
  isLost: boolean;
  /** Nothing was written to it so far. */
  isAtFirstTurn: boolean;
};

/** Before it is known whether there is anything to remember. */
export function beginMemory(recalled: RecalledMemory, isResumed: boolean): AgentMemory {
  const { resumeReference, restored, lack } = recalled;
  const by = restored === undefined ? 'resume' : 'checkpoint';
  return {
    continuedBy: isResumed ? by : 'fresh',
    isResumeRefused: resumeReference !== undefined && !isResumed,
    lack,
    restored: restored && isResumed ? { files: restored.files.length, sizeBytes: restored.sizeBytes } : undefined,
    isLost: false,
    isAtFirstTurn: true,
  };
}

/** Whether nothing was written to it so far, and it continues nothing. */
export const beginsConversation = ({ continuedBy, isAtFirstTurn }: AgentMemory): boolean =>
  isAtFirstTurn && continuedBy !== 'resume' && continuedBy !== 'checkpoint';

/** Whether its history goes before the next message. */
export const mustBeTold = ({ continuedBy, isAtFirstTurn }: AgentMemory): boolean =>
  isAtFirstTurn && continuedBy === 'rebuild';
