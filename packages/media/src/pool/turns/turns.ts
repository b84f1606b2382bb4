import { createSpending } from './spending.ts';

/** A request for a worker. */
export type Turn = {
  tenantId: string;
  task: 'inspect' | 'make-variant';
  signal: AbortSignal;
  /** Nobody waits for it: work that does not yield comes first, for every tenant. */
  yields?: boolean | undefined;
};

export type Turns = {
  /** Runs the task when its tenant's turn comes. Rejects with the signal's reason when given up before that. */
  use<T>(turn: Turn, task: () => Promise<T>): Promise<T>;
  /** Notes processor time that a tenant's job has used. */
  charge(tenantId: string, processorMs: number): void;
};

type Waiting = { turn: Turn; grant: (isReserve: boolean) => void };

/**
 * Bounds how many tasks run at the same time (DL-81), tenants in turn (BX-27): a place goes to the tenant that holds the fewest, and among
 * equals to the one that waits longest for its turn. One place more only inspects, for tenants that hold none. A tenant that has used up
 * its processor time of the minute waits while another tenant waits that has not. What yields is served when nothing else waits.
 */
export function createTurns(places: number, now: () => number = () => performance.now()): Turns {
  const spending = createSpending(now);
  const held = new Map<string, number>();
  // In the order of turns: a tenant that was served goes to the end.
  const waiting = new Map<string, Waiting[]>();
  let free = places;
  let isReserveFree = true;

  const holds = (tenantId: string) => held.get(tenantId) ?? 0;

  const rank = (id: string) => (spending.isOver(id) ? places + 2 : 0) + holds(id);
  const choose = (isAllowed: (id: string) => boolean) => findFirst([...waiting.keys()].filter(isAllowed), rank);

  function serve(tenantId: string, isReserve: boolean): void {
    const queue = waiting.get(tenantId) ?? [];
    const position = isReserve ? queue.findIndex(isInspection) : Math.max(0, queue.findIndex(isWaitedFor));
    const [next] = queue.splice(position, 1);
    waiting.delete(tenantId);
    if (queue.length > 0) waiting.set(tenantId, queue);
    held.set(tenantId, holds(tenantId) + 1);
    if (isReserve) isReserveFree = false;
    else free -= 1;
    next?.grant(isReserve);
  }

  function serveAll(): void {
    while (free > 0) {
      const tenantId = choose((id) => (waiting.get(id) ?? []).some(isWaitedFor)) ?? choose(() => true);
      if (tenantId === undefined) return;
      serve(tenantId, false);
    }
    const without = (id: string) => holds(id) === 0 && (waiting.get(id) ?? []).some(isInspection);
    const tenantId = isReserveFree ? choose(without) : undefined;
    if (tenantId !== undefined) serve(tenantId, true);
  }

  const acquire = (turn: Turn) => waitForTurn(waiting, turn, serveAll);

  function release(tenantId: string, isReserve: boolean): void {
    const left = holds(tenantId) - 1;
    if (left > 0) held.set(tenantId, left);
    else held.delete(tenantId);
    if (isReserve) isReserveFree = true;
    else free += 1;
    serveAll();
  }

  return {
    async use(turn, task) {
      const isReserve = await acquire(turn);
      try {
        return await task();
      } finally {
        release(turn.tenantId, isReserve);
      }
    },
    charge: spending.charge,
  };
}

const isInspection = ({ turn }: Waiting) => turn.task === 'inspect';
const isWaitedFor = ({ turn }: Waiting) => turn.yields !== true;

/** Returns whether it is the reserve's place. */
function waitForTurn(waiting: Map<string, Waiting[]>, turn: Turn, serveAll: () => void): Promise<boolean> {
  const { tenantId, signal } = turn;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      const rest = (waiting.get(tenantId) ?? []).filter((each) => each !== entry);
      if (rest.length > 0) waiting.set(tenantId, rest);
      else waiting.delete(tenantId);
      reject(signal.reason);
    };
    const grant = (isReserve: boolean) => {
      signal.removeEventListener('abort', giveUp);
      resolve(isReserve);
    };
    const entry: Waiting = { turn, grant };
    waiting.set(tenantId, [...(waiting.get(tenantId) ?? []), entry]);
    signal.addEventListener('abort', giveUp, { once: true });
    serveAll();
  });
}

/** The first of those with the lowest rank. */
function findFirst(ids: string[], rank: (id: string) => number): string | undefined {
  let first: string | undefined;
  for (const id of ids) if (first === undefined || rank(id) < rank(first)) first = id;
  return first;
}
