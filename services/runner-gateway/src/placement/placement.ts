import { Fault } from '@attache/contracts';
import { type AgentRow, admitAgent, type Placement as Offer, type OtherGateway } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { createLimitQueue } from './limit-queue.ts';
import { createMissingPrograms } from './missing-programs.ts';
import type { OtherGateways } from './other-gateways.ts';
import { type SendSession, sendWaiting } from './send-session.ts';
import type { Seeker, Slots } from './slots.ts';

/** Decides which agents get a process here, which wait, and which sessions go to another gateway. */
export type Placement = {
  /** Whether an agent may have a process here now. Else it waits, and `wake` is called when it is worth asking again. */
  admit(session: SessionKey, agent: AgentRow, wake: () => void): Promise<boolean>;
  /** Work on an agent begins, with or without a process. */
  begin(session: SessionKey, agentId: string): void;
  end(agentId: string): void;
  /** Nothing waits for this agent any more. */
  forget(agentId: string): void;
  /** A process of this tenant's has ended. */
  noteEnded(tenantId: string): void;
  /** Another gateway that should take a session which nobody owns; undefined: this one may as well. `profile` undefined: its program does not matter. */
  findBetter(tenantId: string, profile: string | undefined): OtherGateway | undefined;
  /** Whether this gateway is full and another one is not. */
  isLastChoice(): boolean;
  /** Whether some gateway has other programs than this one. */
  isByProgram(): boolean;
  /** The offer of this gateway, for the others. */
  describe(): Offer;
  /** Learns the room of the others, and sends them agents that wait here. */
  learn(others: readonly OtherGateway[]): void;
  /** How many agents wait for a slot. */
  countWaiting(): number;
};

type PlacementDeps = Pick<OwningDeps, 'db' | 'ownership'> & {
  slots: Slots;
  others: OtherGateways;
  /** Names of the profiles whose programs are here. */
  readPrograms(): readonly string[];
  lookForPrograms(): Promise<void>;
  onlyTenant: string | undefined;
  /** False: nothing can go elsewhere. */
  isShared: boolean;
  programMs?: number | undefined;
  /** Lets go of a session for the gateway of this name. False: it stays. */
  send(session: SessionKey, replicaId: string): Promise<boolean>;
};

export function createPlacement(deps: PlacementDeps): Placement {
  const { slots, others, readPrograms, isShared } = deps;
  const limits = createLimitQueue();
  const send: SendSession = (session, gateway, onStay) => {
    others.noteSent(gateway);
    void deps.send(session, gateway.replicaId).then((isSent) => isSent || onStay());
  };
  const missing = createMissingPrograms({ ...deps, send });

  return {
    async admit(session, agent, wake) {
      const seeker: Seeker = { ...session, agentId: agent.id };
      if (missing.waits(session, agent, wake) || !slots.take(seeker, wake)) return false;
      if (await isAdmitted(deps, seeker)) {
        limits.leave(agent.id);
        return true;
      }
      slots.forget(agent.id);
      slots.makeRoom(session.tenantId);
      limits.wait(seeker, wake);
      return false;
    },
    begin: (session, agentId) => slots.use({ ...session, agentId }),
    end: slots.rest,
    forget(agentId) {
      missing.forget(agentId);
      limits.leave(agentId);
      slots.forget(agentId);
    },
    noteEnded(tenantId) {
      slots.look();
      limits.wake(tenantId);
    },
    findBetter: (tenantId, profile) => findBetter(deps, tenantId, profile),
    isLastChoice: () => isShared && slots.readRoom() <= 0 && others.all().some(({ room }) => room > 0),
    isByProgram() {
      if (others.all().length === 0) return false;
      const own = readPrograms().toSorted().join('\n');
      return others.all().some(({ programs }) => programs.toSorted().join('\n') !== own);
    },
    describe: () => ({
      room: slots.readRoom(),
      programs: readPrograms(),
      onlyTenant: deps.onlyTenant,
      atLimit: limits.tenants(),
    }),
    learn(present) {
      others.learn(present);
      slots.look();
      for (const tenantId of new Set(present.flatMap(({ atLimit }) => atLimit))) slots.makeRoom(tenantId);
      missing.look();
      sendWaiting(slots, others, send);
    },
    countWaiting: () => slots.waiting().length + limits.count() + missing.count(),
  };
}

/** Whether the tenant may run one more agent, on any gateway. */
async function isAdmitted({ db, ownership }: PlacementDeps, seeker: Seeker): Promise<boolean> {
  const answer = await ownership.step(seeker, async (fence) => {
    const admitted = await admitAgent(db, seeker, fence);
    if (admitted === 'ownership-lost') throw new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');
    return admitted;
  });
  return answer === 'admitted';
}

function findBetter(
  { slots, others, readPrograms, isShared }: PlacementDeps,
  tenantId: string,
  profile: string | undefined,
): OtherGateway | undefined {
  if (!isShared) return undefined;
  const isHere = profile === undefined || readPrograms().includes(profile);
  if (isHere && slots.readRoom() > 0) return undefined;
  const gateway = others.withRoom(tenantId, profile) ?? (isHere ? undefined : others.offering(tenantId, profile)[0]);
  if (gateway) others.noteSent(gateway);
  return gateway;
}
