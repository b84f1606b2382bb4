import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { sweepOrphans } from '@attache/agent-process';
import type { BusMessage } from '@attache/contracts';
import { findDelivery, readDeliveriesOfSession, renewLease } from '@attache/database';
import type { Settlement } from '@attache/event-bus';
import { describeProcess, logSessionsRecovered, withSpan } from '@attache/telemetry';
import { createAgentHost } from './agent-host.ts';
import { type AgentLanes, createAgentLanes } from './agent-lanes.ts';
import { closeAgent, closeSession } from './close-session.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { probeProfiles } from './probe-profiles.ts';
import type { DeliverDeps } from './record-delivery.ts';
import { recoverSessions } from './recover-sessions.ts';
import { removeLeftFiles } from './remove-left-files.ts';
import { createOwnership } from './session-ownership.ts';

export type { GatewayDeps, GatewaySettings } from './gateway-deps.ts';

const LEASE_MS = 6_000;
const HEARTBEAT_MS = 2_000;
const CONCURRENCY = 16;
// Another replica owns the session: its message comes again later, and again, until that owner took it.
const NOT_OWNER_DELAY_MS = 1_000;

export type RunningGateway = { stop(): Promise<void> };

// A message that waited since an earlier release names no agent.
async function findAgentId(
  { db }: DeliverDeps,
  { tenantId, deliveryId }: { tenantId: string; deliveryId: string },
): Promise<string | undefined> {
  return (await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId)))?.agentId;
}

async function handle(deps: DeliverDeps, lanes: AgentLanes, message: BusMessage): Promise<Settlement> {
  const { tenantId, sessionId } = message.data;
  const session = { tenantId, sessionId };
  if ((await deps.ownership.claim(session)) === undefined) return { as: 'nak', delayMs: NOT_OWNER_DELAY_MS };
  switch (message.subject) {
    case 'delivery.prepared':
    case 'delivery.stopped': {
      const agentId = message.data.agentId ?? (await findAgentId(deps, message.data));
      if (agentId !== undefined) lanes.wake(session, agentId);
      return { as: 'ack' };
    }
    case 'delivery.interrupted': {
      const { deliveryId } = message.data;
      const row = await deps.db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
      if (row?.status === 'claimed' || row?.status === 'written') await deps.host.interrupt(row.agentId);
      return { as: 'ack' };
    }
    case 'agent.removed':
      await closeAgent(deps, lanes, session, message.data.agentId);
      return { as: 'ack' };
    case 'session.ended':
      await closeSession(deps, lanes, session);
      return { as: 'ack' };
    default:
      return { as: 'term', reason: `the gateway does not take ${message.subject}` };
  }
}

function startHeartbeat(deps: DeliverDeps): () => void {
  const beat = () =>
    renewLease(deps.db, { ...deps.ownership.identity, leaseMs: LEASE_MS, state: 'active' }).catch((error) =>
      deps.log.warn({ err: error }, 'lease.not_renewed'),
    );
  const timer = setInterval(beat, HEARTBEAT_MS);
  return () => clearInterval(timer);
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
  await renewLease(deps.db, { ...deps.ownership.identity, leaseMs: LEASE_MS, state: 'active' });
}

// A session with open deliveries stays this replica's: its next incarnation finds and settles them.
async function releaseIdleSessions(deps: DeliverDeps): Promise<void> {
  for (const session of deps.ownership.held()) {
    const open = await deps.db.asTenant(session.tenantId, (tx) =>
      readDeliveriesOfSession(tx, session.sessionId, ['prepared', 'claimed', 'written']),
    );
    if (open.length === 0) await deps.ownership.release(session);
  }
}

/** Starts owning sessions: sweeps what an earlier life left, takes over its sessions, then delivers. */
export async function startRunnerGateway(gatewayDeps: GatewayDeps): Promise<RunningGateway> {
  const startedAt = Date.now();
  let isDraining = false;
  const { db, settings } = gatewayDeps;
  const ownership = createOwnership({ db, replicaId: settings.replicaId, isWaiting: () => !isDraining });
  const intake = { ...gatewayDeps.intake, holder: ownership.identity.incarnation };
  const host = createAgentHost({ ...gatewayDeps, intake, ownership });
  const deps: DeliverDeps = { ...gatewayDeps, intake, ownership, host, isDraining: () => isDraining };
  await prepare(deps, startedAt);
  const lanes = createAgentLanes(deps);
  const recovered = await recoverSessions(deps, lanes);
  logSessionsRecovered(deps.log, { sessions: recovered });
  const stopHeartbeat = startHeartbeat(deps);
  const consumer = deps.bus.consume({
    consumer: 'runner-gateway',
    concurrency: CONCURRENCY,
    handle: (message) => {
      const parent = message.trace ?? 'root';
      const attributes = describeProcess(message, 'runner-gateway');
      const links = [message.receivedIn];
      return withSpan({ name: `process ${message.subject}`, kind: 'consumer', parent, links, attributes }, () =>
        handle(deps, lanes, message),
      );
    },
  });
  const probing = probeProfiles(deps, () => isDraining);
  return {
    async stop() {
      await consumer.stop();
      const lanesStopped = lanes.stop();
      await waitAtMost(lanesStopped, deps.settings.drainMs);
      isDraining = true;
      await host.stopAll('shutdown');
      await Promise.all([lanesStopped, probing]);
      await sweepChildren(deps, Date.now());
      stopHeartbeat();
      await releaseIdleSessions(deps);
      await renewLease(deps.db, { ...ownership.identity, leaseMs: 0, state: 'gone' });
      await rm(deps.settings.runtimeFolder, { recursive: true, force: true });
    },
  };
}
