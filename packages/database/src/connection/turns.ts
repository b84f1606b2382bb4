import { Fault } from '@attache/contracts';
import { createTurnQueues, type TurnQueues } from './turn-queues.ts';

export type TurnOptions = {
  /** How many go at once. */
  size: number;
  /** How many may wait; without it there is no bound. */
  maxWaiting?: number | undefined;
  /** How long one waits; without it for ever. */
  waitTimeoutMs?: number | undefined;
};

/** The order of work: tenants take turns (BX-27). */
export type Turns = {
  /** Runs the work when it is this tenant's turn; what serves no tenant shares one queue. Throws `DATABASE_UNAVAILABLE` where that does not come in time. */
  run<T>(tenantId: string | undefined, work: () => Promise<T>): Promise<T>;
  /** Refuses all waiting work. */
  refuseAll(): void;
};

type Waiter = { begin(): void; refuse(error: Fault): void };

const refusal = (message: string) =>
  new Fault('DATABASE_UNAVAILABLE', message, { retryable: true, retryAfterSeconds: 1 });

export const stopping = () => refusal('This process is stopping.');

/**
 * A place goes to the tenant that holds the fewest, and among equals to the one that was served longest ago. Where too many wait, the last
 * comer of the tenant with most of them gives way.
 */
export function createTurns({ size, maxWaiting = Infinity, waitTimeoutMs }: TurnOptions): Turns {
  const held = new Map<string, number>();
  const queues = createTurnQueues<Waiter>();
  let taken = 0;
  const holds = (owner: string) => held.get(owner) ?? 0;

  function enter(owner: string): void {
    taken += 1;
    held.set(owner, holds(owner) + 1);
  }

  function leave(owner: string): void {
    taken -= 1;
    const left = holds(owner) - 1;
    if (left > 0) held.set(owner, left);
    else held.delete(owner);
    const next = queues.takeNext(holds);
    if (next === undefined) return;
    // Entered here: nobody can come in between.
    enter(next.owner);
    next.waiter.begin();
  }

  function makeRoom(owner: string): void {
    if (queues.size < maxWaiting) return;
    const crowding = queues.takeCrowding(owner);
    if (crowding === undefined) throw crowded();
    crowding.refuse(crowded());
  }

  return {
    async run(tenantId = '', work) {
      if (taken < size) enter(tenantId);
      else {
        makeRoom(tenantId);
        await wait(queues, tenantId, waitTimeoutMs);
      }
      try {
        return await work();
      } finally {
        leave(tenantId);
      }
    },
    refuseAll() {
      for (const waiter of queues.takeAll()) waiter.refuse(stopping());
    },
  };
}

const crowded = () => refusal('Too many requests wait for the database. Try again in a moment.');
const late = () => refusal('All connections to the database are in use. Try again in a moment.');

function wait(queues: TurnQueues<Waiter>, owner: string, timeoutMs: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      queues.remove(owner, waiter);
      reject(late());
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    const waiter: Waiter = {
      begin() {
        clearTimeout(timer);
        resolve();
      },
      refuse(error) {
        clearTimeout(timer);
        reject(error);
      },
    };
    queues.add(owner, waiter);
  });
}
