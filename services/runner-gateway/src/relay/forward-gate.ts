import { allowForward } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** Lets requests of one agent go to its model while this gateway owns the session, and notes the first one since a message was written to the agent. */
export type ForwardGate = {
  /** The first byte of a delivery may be written from now on, and that is noted in the database. */
  noteWriting(): void;
  /** Throws `OWNERSHIP_LOST` if the session has another owner. */
  allow(): Promise<void>;
};

export function createForwardGate(
  { db, ownership }: Pick<OwningDeps, 'db' | 'ownership'>,
  session: SessionKey,
  agentId: string,
): ForwardGate {
  let writtenCount = 0;
  let forwardedCount = 0;
  return {
    noteWriting() {
      writtenCount += 1;
    },
    async allow() {
      // Requests at the same time each wait until the note is committed.
      const seenCount = writtenCount;
      const isFirst = seenCount > forwardedCount;
      await ownership.step(session, (fence) => allowForward(db, { ...session, agentId }, { fence, isFirst }));
      forwardedCount = Math.max(forwardedCount, seenCount);
    },
  };
}
