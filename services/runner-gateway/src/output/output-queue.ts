import type { NewEvent } from '@attache/database';
import type { SessionOwnership } from '../ownership/session-ownership.ts';
import type { OutputSink } from './output-sink.ts';

/**
 * Brings an agent's output into the log. The agent waits for a commit only once as much waits in its session as one commit takes. Once something could not
 * be written, every later call throws the same error, and the turn that it belongs to knows of it.
 */
export function createOutputQueue(ownership: Pick<SessionOwnership, 'write' | 'hasRoom'>, sink: OutputSink) {
  let lost: { error: unknown } | undefined;
  const write = async (events: readonly NewEvent[]): Promise<void> => {
    const turn = sink.currentTurn();
    try {
      await ownership.write(sink.session, sink.agentId, { events });
    } catch (error) {
      lost ??= { error };
      if (turn !== undefined) turn.lostOutput ??= lost;
    }
  };
  const refuseWhereLost = () => {
    if (lost !== undefined) throw lost.error;
  };
  return async (events: readonly NewEvent[]): Promise<void> => {
    refuseWhereLost();
    const written = write(events);
    if (ownership.hasRoom(sink.session)) return;
    await written;
    refuseWhereLost();
  };
}
