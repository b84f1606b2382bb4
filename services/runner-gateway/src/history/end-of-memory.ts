import type { EndEvent } from '@attache/database';

/** Why an agent remembers nothing, and how often its processes ended badly since it last answered. */
export type EndOfMemory = {
  reason:
    | 'target-changed'
    | 'context-full'
    | 'attachment-deleted'
    | 'transcript-refused'
    | 'message-retried'
    | undefined;
  setbacks: number;
  /** Nothing further back says more. */
  isKnown: boolean;
};

/** More of them leave no room for a history. */
const MAX_SETBACKS = 4;

/** Judges the end events of an agent, the last first. */
export function judgeEnds(events: readonly EndEvent[]): EndOfMemory {
  let reason: EndOfMemory['reason'];
  let setbacks = 0;
  // An event before its last message is not the reason why it remembers nothing.
  let isBeforeLast = false;
  for (const { kind, reason: stopped } of events) {
    if (kind === 'delivery.responded') return { reason, setbacks, isKnown: true };
    if (kind === 'delivery.written') isBeforeLast = true;
    const isFull = kind === 'agent.stopped' && stopped === 'context-full';
    if (isFull || (kind === 'agent.stopped' && stopped === 'crashed')) setbacks += 1;
    if (isBeforeLast || reason !== undefined) continue;
    if (kind === 'agent.target_changed') reason = 'target-changed';
    if (isFull) reason = 'context-full';
    if (kind === 'agent.stopped' && (stopped === 'attachment-deleted' || stopped === 'message-retried'))
      reason = stopped;
    if (kind === 'agent.stopped' && stopped === 'memory-lost') reason = 'transcript-refused';
  }
  return { reason, setbacks, isKnown: setbacks >= MAX_SETBACKS };
}
