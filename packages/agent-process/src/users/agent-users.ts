import { setTimeout as delay } from 'node:timers/promises';
import { listBusyUsers } from './list-busy-users.ts';
import type { UserRange, UsersOfMachine } from './users-of-machine.ts';

const LOOK_MS = 100;

/** The user as which an agent's processes run outside of its sandbox. The group is the same for all agents: it lets them enter the folders that hold theirs. */
export type AgentUser = { uid: number; gid: number };

/** A user that belongs to one agent until it is given back. */
export type LentUser = AgentUser & {
  /** Ends all processes of this user. Nobody else gets the user before none is left. */
  giveBack(): Promise<void>;
};

/** The users of a range, each lent to at most one agent at a time. */
export type AgentUsers = {
  readonly range: UserRange;
  /** A user that nobody has; `preferred` if that is free. Undefined if all are lent. */
  lend(preferred?: number): Promise<LentUser | undefined>;
};

/** Lends the users of a range. A user that runs any process at the first start is left out. */
export function createAgentUsers(range: UserRange, machine: UsersOfMachine = listBusyUsers): AgentUsers {
  const lent = new Set<number>();
  let next = range.first;
  let leftOut: Promise<Set<number>> | undefined;

  function choose(preferred: number | undefined, isFree: (uid: number) => boolean): number | undefined {
    if (preferred !== undefined && preferred >= range.first && preferred <= range.last && isFree(preferred))
      return preferred;
    // Each in turn, so that a number rests before another agent gets it.
    for (let count = range.last - range.first + 1; count > 0; count -= 1) {
      const uid = next;
      next = uid === range.last ? range.first : uid + 1;
      if (isFree(uid)) return uid;
    }
    return undefined;
  }

  async function giveBack(uid: number): Promise<void> {
    await machine.endAll(uid);
    while ((await machine.listBusy({ first: uid, last: uid })).has(uid)) {
      await delay(LOOK_MS, undefined, { ref: false });
      await machine.endAll(uid);
    }
    lent.delete(uid);
  }

  return {
    range,
    async lend(preferred) {
      leftOut ??= machine.listBusy(range);
      const strangers = await leftOut;
      const uid = choose(preferred, (each) => !lent.has(each) && !strangers.has(each));
      if (uid === undefined) return undefined;
      lent.add(uid);
      let ending: Promise<void> | undefined;
      return {
        ...{ uid, gid: range.first },
        giveBack() {
          ending ??= giveBack(uid);
          return ending;
        },
      };
    },
  };
}
