import { type Doorbells, OWNERS_BELL } from '@attache/event-bus';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

/** Claims that were under way when it began come to their end meanwhile. */
const MAX_PASSES = 5;

export type LeaveDeps = {
  ownership: Pick<SessionOwnership, 'held'>;
  sessions: Pick<SessionRegistry, 'leave' | 'settled'>;
  lanes: Pick<AgentLanes, 'refuse' | 'admit' | 'closeSession'>;
  doorbells: Pick<Doorbells, 'ring'>;
};

/** Lets go of a session as soon as the turn that runs in it has ended. What waits in it is for the gateway that takes it next, which hears of it at once. */
async function leaveSession({ sessions, lanes, doorbells }: LeaveDeps, session: SessionKey): Promise<void> {
  await lanes.closeSession(session.sessionId);
  await sessions.leave(session);
  doorbells.ring([OWNERS_BELL]);
}

/** Lets go of these sessions alone. */
export async function moveSessions(deps: LeaveDeps, moved: readonly SessionKey[]): Promise<void> {
  const move = async (session: SessionKey) => {
    deps.lanes.refuse(session.sessionId);
    await leaveSession(deps, session).finally(() => deps.lanes.admit(session.sessionId));
  };
  await Promise.all(moved.map(move));
}

/** Lets go of all sessions, of idle ones at once. No lane begins a delivery any more. */
export async function leaveSessions(deps: LeaveDeps): Promise<void> {
  const { ownership, sessions, lanes } = deps;
  lanes.refuse();
  for (let pass = 0; pass < MAX_PASSES && ownership.held().length > 0; pass += 1) {
    await Promise.all(ownership.held().map((session) => leaveSession(deps, session)));
    await sessions.settled();
  }
}
