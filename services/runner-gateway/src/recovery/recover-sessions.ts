import { join } from 'node:path';
import { idFromUuid } from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  type Claim,
  emptyContext,
  findSession,
  parkSession,
  readAllAgents,
  readDeliveriesOfSession,
  readFormerSessions,
  setAgentStatus,
  untilAnswered,
} from '@attache/database';
import { logSessionsRecovered } from '@attache/telemetry';
import type { RecordDeps } from '../deliver/record-delivery.ts';
import { settleLost } from '../deliver/settle-lost.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import { createReferenceKeeper, readResumeReference } from '../memory/resume-reference.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';
import type { SuspectLanes } from './suspect-line.ts';
import { takeSessions } from './take-sessions.ts';

const PAGE = 500;
/** So many gateways in a row died while a delivery of the session was in progress. */
const MAX_DEATHS = 3;
const actor = { type: 'service', id: 'runner-gateway' } as const;

type RecoveryDeps = RecordDeps & { settings: Pick<OwningDeps['settings'], 'agentsFolder'> };

// No subprocess of theirs lives any more, whatever they were doing; what a next one cannot continue with is forgotten.
async function markAgentsStopped(
  deps: RecoveryDeps,
  session: SessionKey,
  { agents, told }: { agents: readonly AgentRow[]; told: ReadonlySet<string> },
): Promise<void> {
  const forgetful: AgentRow[] = [];
  for (const agent of agents) {
    const folder = join(deps.settings.agentsFolder, idFromUuid('agent', agent.id));
    // A message that is delivered again would otherwise appear twice in its program's own transcript.
    if (told.has(agent.id)) await createReferenceKeeper(folder, agent).drop();
    if ((await readResumeReference(folder, agent)).status !== 'found') forgetful.push(agent);
  }
  const lost = agents.filter(({ status }) => status === 'busy' || status === 'starting');
  if (forgetful.length + lost.length === 0) return;
  await deps.ownership.asOwner(session, async (tx) => {
    for (const agent of forgetful) await emptyContext(tx, agent.id);
    for (const agent of lost) await setAgentStatus(tx, agent.id, 'stopped');
    if (lost.length === 0) return;
    const stops = lost.map(({ id }) => {
      const data = { agentId: idFromUuid('agent', id), reason: 'owner-lost' } as const;
      return { kind: 'agent.stopped', actor, data } as const;
    });
    await appendEvents(tx, session.sessionId, stops);
  });
}

/** Settles what the last owner of a session had begun, and lets its agents continue. The session is this gateway's, under a new epoch. */
export async function settleSession(
  deps: RecoveryDeps,
  lanes: Pick<SuspectLanes, 'wake' | 'suspect'>,
  session: SessionKey,
  { deaths }: Pick<Claim, 'deaths'>,
): Promise<void> {
  const { status, deliveries, agents } = await deps.db.readAsTenant(session.tenantId, async (tx) => ({
    status: (await findSession(tx, session.sessionId))?.status,
    deliveries: await readDeliveriesOfSession(tx, session.sessionId, ['prepared', 'claimed', 'written']),
    // In the order in which rows of one table are locked.
    agents: (await readAllAgents(tx, session.sessionId)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }));
  const told = new Set<string>();
  for (const row of deliveries.filter(({ status: at }) => at !== 'prepared')) {
    const outcome = await settleLost(deps, session, row, 'owner-gone');
    if (outcome === 'given-back-unforwarded') told.add(row.agentId);
  }
  if (status === 'active') await markAgentsStopped(deps, session, { agents, told });
  if (deliveries.length === 0) return;
  if (deaths >= MAX_DEATHS) return park(deps, session, deaths);
  if (deaths > 0) lanes.suspect(session);
  for (const row of deliveries) lanes.wake(session, row.agentId);
}

/** A session that killed gateway after gateway is not tried again: nothing of it is delivered until an operator releases it. */
async function park({ db, ownership, log }: RecoveryDeps, session: SessionKey, deaths: number): Promise<void> {
  const event = { kind: 'session.parked', actor, data: { deaths } } as const;
  const isParked = await ownership.step(session, (fence) => parkSession(db, session, { fence, event }));
  log.error({ sessionId: idFromUuid('session', session.sessionId), deaths, isParked }, 'session.parked');
}

/** Takes over the sessions that an earlier incarnation of this replica did not let go. */
export async function recoverSessions(deps: RecordDeps, sessions: SessionRegistry): Promise<void> {
  const { ownership } = deps;
  let count = 0;
  let after: SessionKey | undefined;
  do {
    const readPage = () => readFormerSessions(deps.db, ownership.identity, { after, limit: PAGE });
    const page = await untilAnswered(readPage, ownership.isWaiting);
    after = page.length < PAGE ? undefined : page.at(-1);
    count += await takeSessions(sessions, ownership, page);
  } while (after !== undefined && ownership.isWaiting());
  logSessionsRecovered(deps.log, { sessions: count });
}
