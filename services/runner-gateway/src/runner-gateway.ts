import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Fault } from '@attache/contracts';
import { type BusConsumer, OWNERS_DOORBELL } from '@attache/event-bus';
import { type OwnershipGauges, recordOwnershipLost } from '@attache/telemetry';
import type { GatewayDeps } from './gateway-deps.ts';
import { createProbing } from './host/probe-profiles.ts';
import { connectParts, type Parts } from './lifecycle/connect-parts.ts';
import { consumeMessages } from './lifecycle/consume-messages.ts';
import { createLeaving, type Leaving } from './lifecycle/create-leaving.ts';
import { prepareGateway, sweepChildren, takeReplicaName } from './lifecycle/prepare-gateway.ts';
import { runInTime, type Step } from './lifecycle/run-in-time.ts';
import { createUpcalls, type Upcalls } from './lifecycle/upcalls.ts';
import { waitAtMost } from './lifecycle/wait-at-most.ts';
import { keepLease, type LeaseKeeping } from './ownership/keep-lease.ts';
import type { LeaseGuard } from './ownership/lease-guard.ts';
import { createOwnership, type SessionOwnership } from './ownership/session-ownership.ts';
import { type InstalledPrograms, watchInstalled } from './placement/installed-programs.ts';
import { recoverSessions } from './recovery/recover-sessions.ts';
import { watchOrphans } from './recovery/watch-orphans.ts';
import { watchStranded } from './recovery/watch-stranded.ts';

export type { GatewayDeps, GatewayLimits, GatewaySettings, GatewaySharing } from './gateway-deps.ts';

// For the handlers that a stop still waits for when no agent runs any more.
const LAST_HANDLERS_MS = 2_000;
/** How long all steps after the drain may take. */
const OVERDUE_MS = 20_000;

export type RunningGateway = {
  /** Throws `SHUTTING_DOWN` while it drains, because it stops or an operator asked for that, and while it cannot renew its lease. */
  checkReady(): void;
  readOwnership(): OwnershipGauges;
  /** Profiles were read again: their programs are asked what they take. */
  askPrograms(): void;
  stop(): Promise<void>;
};

type Gateway = Parts & {
  ownership: SessionOwnership;
  lease: LeaseKeeping;
  guard: LeaseGuard | undefined;
  leaving: Leaving;
  programs: InstalledPrograms;
  /** Sessions that an earlier life left are taken from then on. */
  recover(): Promise<void>;
  /** From now on nothing waits for the database. */
  hurry(): void;
};

/** Starts owning sessions: takes its name, sweeps the remains of an earlier life, delivers, and takes over sessions that lost their owner. */
export async function startRunnerGateway(gatewayDeps: GatewayDeps): Promise<RunningGateway> {
  const startedAt = Date.now();
  const gateway = await openGateway(gatewayDeps);
  await prepareGateway(gateway.deps, startedAt).catch(async (error) => {
    await gateway.lease.stop();
    await gateway.guard?.stop();
    throw error;
  });
  return runGateway(gateway);
}

/** Holds its name and its lease from here on; nothing is delivered yet. */
async function openGateway(gatewayDeps: GatewayDeps): Promise<Gateway> {
  let isStopping = false;
  const { db, log, settings, doorbells, sharing } = gatewayDeps;
  const programs = await watchInstalled(gatewayDeps);
  const identity = { replicaId: settings.replicaId, incarnation: randomUUID() };
  await takeReplicaName(gatewayDeps, identity);
  const guard = await sharing?.startGuard(identity);
  const link = sharing?.leaseLink ?? { db: () => db, reset() {} };
  const lease = keepLease({ link, log, identity, guard, ...settings.limits });
  const { calls, connect } = createUpcalls();
  const ownership = createOwnership({
    ...{ ...gatewayDeps, identity, pinnedTenant: settings.pinnedTenant },
    ...{ isWaiting: () => !isStopping, checkLease: lease.look, onLost: calls.onLost },
  });
  const parts = connectParts(gatewayDeps, ownership, { calls, lease, programs, isStopping: () => isStopping });
  const { deps, lanes, sessions, placement } = parts;
  const recovered = Promise.withResolvers<void>();
  const leaving = createLeaving({
    ...{ db, ownership, sessions, lanes, doorbells, log },
    announce: lease.startDraining,
    recovered: recovered.promise,
  });
  connect(answerUpcalls(parts, leaving));
  lease.start({
    ...{ describePlacement: placement.describe, onOthers: placement.learn },
    ...{ onLapsed: ownership.review, onLost: ownership.loseAll, onFenced: ownership.fence },
    // The look for orphans takes this gateway's own lost sessions first.
    onRestored: () => doorbells.ring([OWNERS_DOORBELL]),
    onDrainAsked: () => void leaving.drain(),
    onMovesAsked: leaving.move,
  });
  return {
    ...{ ...parts, programs, ownership, lease, guard, leaving },
    async recover() {
      await recoverSessions(deps, sessions).catch((error) => log.error({ err: error }, 'recovery.failed'));
      recovered.resolve();
    },
    hurry() {
      isStopping = true;
    },
  };
}

function answerUpcalls({ lanes, sessions, placement }: Parts, { send }: Leaving): Upcalls {
  return {
    onLost(session) {
      recordOwnershipLost();
      sessions.drop(session);
    },
    onEnded(session) {
      placement.noteEnded(session.tenantId);
      sessions.look(session);
    },
    onQuiet(session) {
      lanes.endTurn(session.sessionId);
      sessions.look(session);
    },
    send,
  };
}

/** Delivers until it is stopped. */
function runGateway(gateway: Gateway): RunningGateway {
  const { deps, lanes, sessions, ownership, lease, leaving } = gateway;
  const { settings, sharing } = deps;
  lease.tell();
  const consumer = consumeMessages(gateway);
  const recovering = gateway.recover();
  const stranded = watchStranded(deps, lanes, sessions);
  const orphans = watchOrphans({
    ...{ ...deps, sessions, isEntitled: lease.isEntitled },
    ...{ onlyTenant: settings.pinnedTenant, isShared: sharing !== undefined },
    isLastChoice: gateway.placement.isLastChoice,
  });
  const probing = createProbing(deps, leaving.isDraining);
  probing.ask();
  return {
    checkReady() {
      if (leaving.isDraining()) throw new Fault('SHUTTING_DOWN', 'The gateway drains, and takes no more sessions.');
      if (!lease.isHeld())
        throw new Fault('SHUTTING_DOWN', 'The lease of the gateway could not be renewed.', { retryable: true });
    },
    readOwnership: () => ({
      ...{ sessions: ownership.held().length, leaseAgeMs: lease.readAgeMs() },
      ...{ room: gateway.placement.describe().room, waiting: gateway.placement.countWaiting() },
    }),
    askPrograms: probing.ask,
    stop: () => stopInTime(gateway, { orphans, stranded, consumer, ended: [probing.settled(), recovering] }),
  };
}

type Work = {
  orphans: { stop(): Promise<void> };
  stranded: { stop(): Promise<void> };
  consumer: BusConsumer;
  /** The work that was begun at the start. */
  ended: readonly Promise<unknown>[];
};

/** Rejects if a step does not end: the runner of this gateway then ends it as a crash does, and its guard ends the rest. */
function stopInTime(gateway: Gateway, work: Work): Promise<void> {
  const { log, settings } = gateway.deps;
  return runInTime(listStopSteps(gateway, work), settings.drainMs + OVERDUE_MS, (step) => {
    log.error({ step }, 'gateway.stop_overdue');
    return new Fault('INTERNAL', `The gateway could not be stopped: ${step} does not end.`);
  });
}

function listStopSteps(gateway: Gateway, { orphans, stranded, consumer, ended }: Work): Step[] {
  const { deps, lanes, sessions, ownership, lease, guard, leaving } = gateway;
  const stopping: { handlers?: Promise<void>; lanes?: Promise<void> } = {};
  const handOverRest = async () => {
    for (const session of ownership.held()) await ownership.handOver(session);
  };
  return [
    // A ring that arrives meanwhile is passed on to others.
    ['the drain', () => waitAtMost(leaving.drain(), deps.settings.drainMs)],
    [
      'the look for orphans',
      () => {
        // Before this, it waits for as long as the database is away.
        gateway.hurry();
        return orphans.stop();
      },
    ],
    [
      'the look for stranded deliveries',
      () => {
        // A lane that a handler wakes from now on stays closed: its delivery is the next owner's.
        stopping.handlers = consumer.stop();
        stopping.lanes = lanes.stop();
        // The steps that wait for them come later.
        for (const each of [stopping.handlers, stopping.lanes]) each.catch(() => {});
        return stranded.stop();
      },
    ],
    ['an agent', () => deps.host.stopAll('shutdown')],
    // A handler that waited for an agent has ended by now. One that does not is left to the next owner.
    ['a handler', () => waitAtMost(Promise.resolve(stopping.handlers), LAST_HANDLERS_MS)],
    ['a lane', () => stopping.lanes],
    ['what began at the start', () => Promise.all(ended)],
    ['the ledger of use', deps.use.stop],
    ['the removal of folders', deps.leftFolders.stop],
    ['the sweep of children', () => sweepChildren(deps, Date.now())],
    ['a session', sessions.settled],
    // Work still in progress in a session is for its next owner to settle.
    ['the release of a session', handOverRest],
    [
      'the heartbeat',
      () => {
        gateway.programs.stop();
        return lease.stop();
      },
    ],
    ['the end of the lease', lease.giveUp],
    [
      'the guard',
      async () => {
        deps.doorbells.ring([OWNERS_DOORBELL]);
        await guard?.stop();
      },
    ],
    ['the folder of sockets', () => rm(deps.settings.runtimeFolder, { recursive: true, force: true })],
  ];
}
