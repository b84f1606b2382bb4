import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { sweepOrphans } from '@attache/agent-process';
import { type BusMessage, isFault } from '@attache/contracts';
import { findDelivery, type ReplicaIdentity } from '@attache/database';
import type { BusConsumer, Settlement } from '@attache/event-bus';
import { describeProcess, withSpan } from '@attache/telemetry';
import { type AgentLanes, createAgentLanes } from './deliver/agent-lanes.ts';
import { closeAgent, closeSession } from './deliver/close-session.ts';
import type { DeliverDeps } from './deliver/deliver.ts';
import { removeLeftFiles } from './files/remove-left-files.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { createAgentHost } from './host/agent-host.ts';
import { probeProfiles } from './host/probe-profiles.ts';
import { keepLease, takeName } from './ownership/replica-lease.ts';
import { createOwnership, type SessionKey } from './ownership/session-ownership.ts';
import { createSessionRegistry, type SessionRegistry } from './ownership/session-registry.ts';
import { readFormerIncarnation, writeIncarnation } from './recovery/former-incarnation.ts';
import { recoverSessions, settleSession } from './recovery/recover-sessions.ts';
import { watchStranded } from './recovery/watch-stranded.ts';
import { createUseLedger } from './use/use-ledger.ts';

export type { GatewayDeps, GatewaySettings } from './gateway-deps.ts';

const CONCURRENCY = 16;
// For the handlers that a stop still waits for when no agent runs any more.
const LAST_HANDLERS_MS = 2_000;

export type RunningGateway = { stop(): Promise<void> };

// A message that waited since an earlier release names no agent.
async function findAgentId(
  { db }: DeliverDeps,
  { tenantId, deliveryId }: { tenantId: string; deliveryId: string },
): Promise<string | undefined> {
  return (await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId)))?.agentId;
}

type Handling = { deps: DeliverDeps; lanes: AgentLanes; sessions: SessionRegistry };

async function handle(handling: Handling, message: BusMessage, isSecondTry = false): Promise<Settlement> {
  const { deps, lanes, sessions } = handling;
  const { tenantId, sessionId } = message.data;
  const session = { tenantId, sessionId };
  using visit = await sessions.visit(session);
  if (!visit) {
    const owner = await deps.ownership.findOther(session);
    // It may have been let go of in between.
    return owner === undefined && !isSecondTry ? handle(handling, message, true) : { as: 'elsewhere', owner };
  }
  switch (message.subject) {
    case 'delivery.prepared':
    case 'delivery.stopped': {
      const agentId = message.data.agentId ?? (await findAgentId(deps, message.data));
      if (agentId !== undefined) lanes.wake(session, agentId);
      // What the lane reads now may not be all: the claim of a prepared delivery settles what told of it.
      return { as: 'left' };
    }
    case 'delivery.interrupted': {
      const { deliveryId } = message.data;
      const row = await deps.db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
      if (row?.status === 'claimed' || row?.status === 'written') await deps.host.interrupt(row.agentId);
      return { as: 'ack' };
    }
    case 'agent.removed':
      await closeAgent(deps, lanes, session, message.data.agentId);
      return { as: 'left' };
    case 'session.ended':
      await closeSession(deps, lanes, session);
      return { as: 'left' };
    default:
      return { as: 'term', reason: `the gateway does not take ${message.subject}` };
  }
}

// Whoever took the session meanwhile takes its message too.
async function orElsewhere({ ownership }: DeliverDeps, session: SessionKey, error: unknown): Promise<Settlement> {
  if (isFault(error, 'OWNERSHIP_LOST')) return { as: 'elsewhere', owner: await ownership.findOther(session) };
  throw error;
}

async function waitAtMost(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

// No child of this replica is wanted before it starts or after it stopped its agents: whoever left its process group is found too.
async function sweepChildren(deps: DeliverDeps, startedBefore: number): Promise<void> {
  const marker = { replica: deps.ownership.identity.replicaId, incarnation: randomUUID() };
  const swept = await sweepOrphans({ marker, startedBefore });
  if (swept.killedCount + swept.remainingCount > 0) deps.log.warn(swept, 'orphans.swept');
}

async function prepare(deps: DeliverDeps, startedAt: number): Promise<void> {
  await rm(deps.settings.runtimeFolder, { recursive: true, force: true });
  await mkdir(deps.settings.runtimeFolder, { recursive: true, mode: 0o700 });
  await mkdir(deps.settings.agentsFolder, { recursive: true, mode: 0o700 });
  await sweepChildren(deps, startedAt);
  await removeLeftFiles(deps.settings.agentsFolder);
}

function consume(deps: DeliverDeps, lanes: AgentLanes, sessions: SessionRegistry): BusConsumer {
  return deps.bus.consume({
    consumer: 'runner-gateway',
    address: { incarnation: deps.ownership.identity.incarnation, onlyTenant: deps.settings.pinnedTenant },
    concurrency: CONCURRENCY,
    handle: (message) => {
      const parent = message.trace ?? 'root';
      const attributes = describeProcess(message, 'runner-gateway');
      const links = [message.receivedIn];
      return withSpan({ name: `process ${message.subject}`, kind: 'consumer', parent, links, attributes }, () =>
        handle({ deps, lanes, sessions }, message).catch((error) => orElsewhere(deps, message.data, error)),
      );
    },
  });
}

// No folder is removed and no child ended before the name is this one's: another living gateway may have both.
async function takeReplicaName(deps: GatewayDeps, identity: ReplicaIdentity): Promise<void> {
  const { file, isFormerDead } = deps.settings.incarnation;
  await takeName({ ...deps, identity }, isFormerDead ? await readFormerIncarnation(file) : undefined);
  await writeIncarnation(file, identity.incarnation);
}

/** Starts owning sessions: takes its name, sweeps what an earlier life left, delivers, and takes over that one's sessions meanwhile. */
export async function startRunnerGateway(gatewayDeps: GatewayDeps): Promise<RunningGateway> {
  const startedAt = Date.now();
  let isDraining = false;
  const { db, log, settings, doorbells } = gatewayDeps;
  const ownership = createOwnership({
    ...{
      db,
      doorbells,
      replicaId: settings.replicaId,
      pinnedTenant: settings.pinnedTenant,
      isWaiting: () => !isDraining,
    },
    onLost: (session) => sessions.drop(session),
  });
  const { identity } = ownership;
  await takeReplicaName(gatewayDeps, identity);
  const lease = keepLease({ db, log, identity }, { onLapsed: ownership.review, onLost: ownership.loseAll });
  const look = (session: SessionKey) => sessions.look(session);
  const intake = { ...gatewayDeps.intake, holder: identity.incarnation };
  const use = createUseLedger({ db, log });
  const host = createAgentHost({ ...gatewayDeps, intake, ownership, use, onEnded: look });
  const deps: DeliverDeps = { ...gatewayDeps, intake, ownership, use, host, isDraining: () => isDraining };
  const lanes = createAgentLanes(deps, look);
  const sessions = createSessionRegistry({
    ...{ ownership, isEntitled: lease.isHeld },
    settle: (session) => settleSession(deps, lanes, session),
    isBusy: (sessionId) => lanes.isBusy(sessionId) || host.isBusy(sessionId),
    stopAll: ({ sessionId }) => Promise.all([host.abandon(sessionId), lanes.closeSession(sessionId)]),
    onError: (error) => log.warn({ err: error }, 'session.not_released'),
  });
  await prepare(deps, startedAt).catch(async (error) => {
    await lease.stop();
    throw error;
  });
  const consumer = consume(deps, lanes, sessions);
  const recovering = recoverSessions(deps, sessions).catch((error) => log.error({ err: error }, 'recovery.failed'));
  const stranded = watchStranded(deps, lanes, sessions);
  const probing = probeProfiles(deps, () => isDraining);
  return {
    async stop() {
      // A lane that a handler wakes from now on stays closed: its delivery is the next incarnation's.
      const [consumerStopped, lanesStopped] = [consumer.stop(), lanes.stop()];
      await waitAtMost(Promise.all([consumerStopped, lanesStopped]), deps.settings.drainMs);
      isDraining = true;
      await stranded.stop();
      await host.stopAll('shutdown');
      // What waited for an agent has its end by now. A handler that does not is left to the next incarnation.
      await waitAtMost(consumerStopped, LAST_HANDLERS_MS);
      await Promise.all([lanesStopped, probing, recovering]);
      await use.stop();
      await sweepChildren(deps, Date.now());
      await sessions.settled();
      // One with open deliveries stays this replica's: its next incarnation finds and settles them.
      for (const session of ownership.held()) await ownership.release(session);
      await lease.stop();
      await lease.giveUp();
      await rm(deps.settings.runtimeFolder, { recursive: true, force: true });
    },
  };
}
