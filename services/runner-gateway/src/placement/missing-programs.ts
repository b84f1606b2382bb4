import type { AgentRow } from '@attache/database';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { OtherGateways } from './other-gateways.ts';
import type { SendSession } from './send-session.ts';

/** How long a delivery waits for a gateway that has its program, before it fails for want of it. */
const PROGRAM_WAIT_MS = 30_000;

/** Agents whose program is not on this machine. */
export type MissingPrograms = {
  /** Whether an agent waits for its program: for its session to move to the program, or for a gateway that has it. False: its start finds or misses it. */
  waits(session: SessionKey, agent: AgentRow, wake: () => void): boolean;
  forget(agentId: string): void;
  /** Other gateways may have come, or programs. */
  look(): void;
  count(): number;
};

type MissingDeps = {
  others: OtherGateways;
  readPrograms(): readonly string[];
  /** Looks for them again: a profile may have come since. */
  lookForPrograms(): Promise<void>;
  /** False: nothing can go elsewhere. */
  isShared: boolean;
  send: SendSession;
  programMs?: number | undefined;
};

type Missing = { session: SessionKey; profile: string; sinceMs: number; wake: () => void };

export function createMissingPrograms(deps: MissingDeps): MissingPrograms {
  const { others, readPrograms, isShared, send, programMs = PROGRAM_WAIT_MS } = deps;
  const missing = new Map<string, Missing>();
  const offering = ({ session, profile }: Missing) => others.offering(session.tenantId, profile);
  const isOverdue = ({ sinceMs }: Missing) => performance.now() - sinceMs > programMs;
  return {
    waits(session, { id, profile }, wake) {
      if (!isShared || readPrograms().includes(profile)) {
        missing.delete(id);
        return false;
      }
      const one = { ...(missing.get(id) ?? { session, profile, sinceMs: performance.now() }), wake };
      if (!missing.has(id)) void deps.lookForPrograms().then(() => readPrograms().includes(profile) && one.wake());
      missing.set(id, one);
      // If all gateways that have the program are full, the agent waits at one of them.
      const gateway = others.withRoom(session.tenantId, profile) ?? offering(one)[0];
      if (!gateway) return !isOverdue(one);
      send(session, gateway, () => undefined);
      return true;
    },
    forget: (agentId) => void missing.delete(agentId),
    look() {
      for (const one of missing.values())
        if (offering(one).length > 0 || readPrograms().includes(one.profile) || isOverdue(one)) one.wake();
    },
    count: () => missing.size,
  };
}
