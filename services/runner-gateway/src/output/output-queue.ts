import type { NewEvent } from '@attache/database';
import type { SessionOwnership } from '../ownership/session-ownership.ts';
import type { OutputSink } from './output-sink.ts';

// What one agent may have said that is not committed yet: so many pieces, and so much as JSON. Beyond it the agent waits.
const MAX_WAITING = 32;
const MAX_WAITING_LENGTH = 1024 * 1024;

/**
 * Brings an agent's output into the log without making the agent wait for each commit. Once something could not be written, every later call throws
 * the same error, and the turn that it belongs to knows of it.
 */
export function createOutputQueue(ownership: Pick<SessionOwnership, 'write'>, sink: OutputSink) {
  let waitingCount = 0;
  let waitingLength = 0;
  let lost: { error: unknown } | undefined;
  const write = async (events: readonly NewEvent[]): Promise<void> => {
    const turn = sink.currentTurn();
    const { length } = JSON.stringify(events);
    waitingCount += 1;
    waitingLength += length;
    try {
      await ownership.write(sink.session, sink.agentId, { events });
    } catch (error) {
      lost ??= { error };
      if (turn !== undefined) turn.lostOutput ??= lost;
    } finally {
      waitingCount -= 1;
      waitingLength -= length;
    }
  };
  const refuseWhereLost = () => {
    if (lost !== undefined) throw lost.error;
  };
  return async (events: readonly NewEvent[]): Promise<void> => {
    refuseWhereLost();
    const written = write(events);
    if (waitingCount < MAX_WAITING && waitingLength < MAX_WAITING_LENGTH) return;
    await written;
    refuseWhereLost();
  };
}
