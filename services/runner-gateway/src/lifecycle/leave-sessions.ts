import { type Doorbells, OWNERS_DOORBELL } from '@attache/event-bus';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

/** Claims that were in progress when it began come to their end meanwhile. */
const MAX_PASSES = 5;
/** All at once would share the processors so that all are late. */
const IDLE_AT_ONCE = 8;

export type LeaveDeps = {
  ownership: Pick<SessionOwnership, 'held'>;
  sessions: Pick<SessionRegistry, 'leave' | 'settled'>;
  lanes: Pick<AgentLanes, 'refuse' | 'wasRefused' | 'admit' | 'isBusy' | 'closeSession'>;
  doorbells: Pick<Doorbells, 'ring'>;
};

/** Lets go of a session as soon as the turn that runs in it has ended. What waits in it is for the gateway that takes it next, which hears of it at once. */
async function leaveSession({ sessions, lanes, doorbells }: LeaveDeps, session: SessionKey): Promise<void> {
  await lanes.closeSession(session.sessionId);
  await sessions.leave(session);
  doorbells.ring([OWNERS_DOORBELL]);
}

/** Lets go of these sessions alone. */
export async function moveSessions(deps: LeaveDeps, moved: readonly SessionKey[]): Promise<void> {
  const move = async (session: SessionKey) => {
    deps.lanes.refuse(session.sessionId);
    await leaveSession(deps, session).finally(() => deps.lanes.admit(session.sessionId));
  };
  await Promise.all(moved.map(move));
}

/** A few at a time; those in which something waits before the others. One that fails keeps no other; the first failure is thrown at the end. */
async function leaveIdleSessions(deps: LeaveDeps, idle: readonly SessionKey[]): Promise<void> {
  const left = new Set(idle);
  const failures: unknown[] = [];
  const work = async () => {
    for (;;) {
      const waits = [...left].find(({ sessionId }) => deps.lanes.wasRefused(sessionId));
      const [next] = waits ? [waits] : left;
      if (next === undefined) return;
      left.delete(next);
      await leaveSession(deps, next).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: IDLE_AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}

/** Lets go of all sessions: of busy ones as their turns end, of idle ones meanwhile. No lane begins a delivery any more. */
export async function leaveSessions(deps: LeaveDeps): Promise<void> {
  const { ownership, sessions, lanes } = deps;
  lanes.refuse();
  for (let pass = 0; pass < MAX_PASSES && ownership.held().length > 0; pass += 1) {
    const held = ownership.held();
    const busy = held.filter(({ sessionId }) => lanes.isBusy(sessionId));
    await Promise.all([
      ...busy.map((session) => leaveSession(deps, session)),
      leaveIdleSessions(
        deps,
        held.filter((session) => !busy.includes(session)),
      ),
    ]);
    await sessions.settled();
  }
}
