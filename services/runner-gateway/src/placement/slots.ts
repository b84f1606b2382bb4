import type { SessionKey } from '../ownership/session-ownership.ts';
import { chooseResting, chooseSeeker } from './choose-seeker.ts';

/** An agent that needs a process. */
export type Seeker = SessionKey & { agentId: string };

/** Room for the processes of agents: each has a slot from before it starts until it has ended. What finds none waits, and resting agents make room for it. */
export type Slots = {
  /** Whether the agent has a slot now. Else it waits for one: `onFree` is called once it has it. */
  take(seeker: Seeker, onFree: () => void): boolean;
  /** Work on the agent begins: its process is not ended for others. */
  use(seeker: Seeker): void;
  /** That work is over. */
  rest(agentId: string): void;
  /** It waits no more, and needs no slot that it has not used. */
  forget(agentId: string): void;
  /** The agents of a session wait here no more, since it goes elsewhere. Returns a function that has each of them ask again, should the session stay. */
  withdraw(sessionId: string): () => void;
  /** Has the process of a resting agent of this tenant end. */
  makeRoom(tenantId: string): void;
  /** A process has ended, or memory may be free again: the waiting agents are looked at. */
  look(): void;
  /** Agents that could begin a turn now, resting ones ended for them, without those that wait already. */
  readRoom(): number;
  waiting(): Seeker[];
  /** Whether any agent of a session has a slot. */
  isIn(sessionId: string): boolean;
};

type SlotDeps = {
  /** `Infinity`: memory alone decides. */
  maxAgents: number;
  /** How many more agents the memory that is free now has room for. */
  readMemoryRoom(): number;
  hasProcess(agentId: string): boolean;
  /** Ends a resting process. */
  stop(agentId: string): void;
  /** One begins to wait. */
  onWaiting(): void;
};

/** `isNew`: it was not used yet. */
type Hold = Seeker & { uses: number; restedAtMs: number; isLeaving: boolean; isNew: boolean };
type Waiting = Seeker & { sinceMs: number; onFree: () => void };

type Book = {
  holds: Map<string, Hold>;
  waiting: Map<string, Waiting>;
  /** When each tenant got its last slot, since somebody waits. */
  grantedAtMs: Map<string, number>;
};

const countHeld = ({ holds }: Book) => {
  const counts = new Map<string, number>();
  for (const { tenantId } of holds.values()) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return (tenantId: string) => counts.get(tenantId) ?? 0;
};

const listResting = ({ holds }: Book, { hasProcess }: SlotDeps) =>
  [...holds.values()].filter(({ agentId, uses }) => uses === 0 && hasProcess(agentId));

// One may always run: a machine on which memory is short must not stand still.
const isFree = ({ holds }: Book, { maxAgents, readMemoryRoom }: SlotDeps) =>
  holds.size < maxAgents && (holds.size === 0 || readMemoryRoom() > 0);

function hold({ holds, grantedAtMs }: Book, { tenantId, sessionId, agentId }: Seeker): Hold {
  const now = performance.now();
  grantedAtMs.set(tenantId, now);
  const made = { tenantId, sessionId, agentId, uses: 0, restedAtMs: now, isLeaving: false, isNew: true };
  holds.set(agentId, made);
  return made;
}

function forgetGrant({ holds, grantedAtMs }: Book, tenantId: string): void {
  if (![...holds.values()].some((held) => held.tenantId === tenantId)) grantedAtMs.delete(tenantId);
}

function end({ stop }: SlotDeps, one: Hold | undefined): void {
  if (!one || one.isLeaving) return;
  one.isLeaving = true;
  stop(one.agentId);
}

/** Gives free slots to those that wait, and has resting agents end for the rest of these. */
function look(book: Book, deps: SlotDeps): void {
  const { holds, waiting } = book;
  for (const { agentId, uses, isNew } of holds.values())
    if (uses === 0 && !isNew && !deps.hasProcess(agentId)) holds.delete(agentId);
  while (waiting.size > 0 && isFree(book, deps)) {
    const heldBy = countHeld(book);
    const shareOf = (tenantId: string) => ({
      held: heldBy(tenantId),
      grantedAtMs: book.grantedAtMs.get(tenantId) ?? 0,
    });
    const next = chooseSeeker([...waiting.values()], shareOf);
    if (!next) break;
    waiting.delete(next.agentId);
    hold(book, next);
    next.onFree();
  }
  // The grant times of tenants that hold no slot any more are no longer needed.
  if (waiting.size === 0) for (const tenantId of book.grantedAtMs.keys()) forgetGrant(book, tenantId);
  const leaving = [...holds.values()].filter(({ isLeaving }) => isLeaving).length;
  for (let count = leaving; count < waiting.size; count += 1) {
    const resting = listResting(book, deps).filter(({ isLeaving }) => !isLeaving);
    end(deps, chooseResting(resting, countHeld(book)));
  }
}

/** Whether an agent holds a slot now; else it waits. */
function take(book: Book, deps: SlotDeps, { seeker, onFree }: { seeker: Seeker; onFree: () => void }): boolean {
  const { holds, waiting } = book;
  if (holds.has(seeker.agentId)) return true;
  const present = waiting.get(seeker.agentId);
  if (present) {
    present.onFree = onFree;
    return false;
  }
  if (waiting.size === 0 && isFree(book, deps)) {
    hold(book, seeker);
    return true;
  }
  waiting.set(seeker.agentId, { ...seeker, sinceMs: performance.now(), onFree });
  look(book, deps);
  if (!waiting.has(seeker.agentId)) return true;
  deps.onWaiting();
  return false;
}

export function createSlots(deps: SlotDeps): Slots {
  const book: Book = { holds: new Map(), waiting: new Map(), grantedAtMs: new Map() };
  const { holds, waiting } = book;
  return {
    take: (seeker, onFree) => take(book, deps, { seeker, onFree }),
    use(seeker) {
      const held = holds.get(seeker.agentId) ?? hold(book, seeker);
      held.uses += 1;
      held.isNew = false;
      held.isLeaving = false;
    },
    rest(agentId) {
      const held = holds.get(agentId);
      if (!held) return;
      held.uses -= 1;
      held.restedAtMs = performance.now();
      look(book, deps);
    },
    forget(agentId) {
      waiting.delete(agentId);
      const held = holds.get(agentId);
      if (held?.uses === 0 && !deps.hasProcess(agentId)) holds.delete(agentId);
      look(book, deps);
    },
    withdraw(sessionId) {
      const withdrawn = [...waiting.values()].filter((one) => one.sessionId === sessionId);
      for (const { agentId } of withdrawn) waiting.delete(agentId);
      return () => {
        for (const { onFree } of withdrawn) onFree();
      };
    },
    makeRoom(tenantId) {
      const own = listResting(book, deps).filter((one) => one.tenantId === tenantId);
      if (!own.some(({ isLeaving }) => isLeaving)) end(deps, chooseResting(own, countHeld(book)));
    },
    look: () => look(book, deps),
    readRoom() {
      const restingCount = listResting(book, deps).length;
      const bySlots = deps.maxAgents - holds.size + restingCount;
      const byMemory = deps.readMemoryRoom() + restingCount;
      return Math.max(Math.min(bySlots, byMemory), holds.size === 0 ? 1 : 0) - waiting.size;
    },
    waiting: () => [...waiting.values()].map(({ tenantId, sessionId, agentId }) => ({ tenantId, sessionId, agentId })),
    isIn: (sessionId) => [...holds.values()].some((held) => held.sessionId === sessionId),
  };
}
