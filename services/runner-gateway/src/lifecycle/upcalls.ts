import type { SessionKey } from '../ownership/session-ownership.ts';

/**
 * The calls of a part of the gateway to a part that is created later. There are no others: every other call goes to a part that was there before.
 */
export type Upcalls = {
  /** From the ownership: another gateway has taken a session. */
  onLost(session: SessionKey): void;
  /** From the host of agents: one of a session's has ended. */
  onEnded(session: SessionKey): void;
  /** From the lanes: the last one of a session may have gone. */
  onQuiet(session: SessionKey): void;
  /** From the placement: lets go of a session for the gateway of this name. False: it stays. */
  send(session: SessionKey, replicaId: string): Promise<boolean>;
};

/** `connect` is called once all parts are there, and nothing calls before. */
export function createUpcalls(): { calls: Upcalls; connect(targets: Upcalls): void } {
  let connected: Upcalls | undefined;
  const targets = (): Upcalls => {
    if (!connected) throw new Error('a part of the gateway has called another before they were connected');
    return connected;
  };
  return {
    calls: {
      onLost: (session) => targets().onLost(session),
      onEnded: (session) => targets().onEnded(session),
      onQuiet: (session) => targets().onQuiet(session),
      send: (session, replicaId) => targets().send(session, replicaId),
    },
    connect(given) {
      connected = given;
    },
  };
}
