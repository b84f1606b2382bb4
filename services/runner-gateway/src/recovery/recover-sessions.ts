import { join } from 'node:path';
import { idFromUuid } from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  emptyContext,
  findSession,
  readAllAgents,
  readDeliveriesOfSession,
  readFormerSessions,
  setAgentStatus,
  untilAnswered,
} from '@attache/database';
import { logSessionsRecovered } from '@attache/telemetry';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import { type RecordDeps, settleLost } from '../deliver/record-delivery.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import { readResumeReference } from '../memory/resume-reference.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

const CONCURRENCY = 8;
const PAGE = 500;
const actor = { type: 'service', id: 'runner-gateway' } as const;

type RecoveryDeps = RecordDeps & { settings: Pick<OwningDeps['settings'], 'agentsFolder'> };

// No subprocess of theirs lives any more, whatever they were doing; what a next one cannot go on with is forgotten.
async function markAgentsStopped(deps: RecoveryDeps, session: SessionKey, agents: readonly AgentRow[]): Promise<void> {
  const forgetful: AgentRow[] = [];
  for (const agent of agents) {
    const folder = join(deps.settings.agentsFolder, idFromUuid('agent', agent.id));
    if ((await readResumeReference(folder, agent)) === undefined) forgetful.push(agent);
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

/** Settles what the last owner of a session had begun, and lets its agents go on. The session is this gateway's, under a new epoch. */
export async function settleSession(
  deps: RecoveryDeps,
  lanes: Pick<AgentLanes, 'wake'>,
  session: SessionKey,
): Promise<void> {
  const { status, deliveries, agents } = await deps.db.readAsTenant(session.tenantId, async (tx) => ({
    status: (await findSession(tx, session.sessionId))?.status,
    deliveries: await readDeliveriesOfSession(tx, session.sessionId, ['prepared', 'claimed', 'written']),
    // In the order in which rows of one table are locked.
    agents: (await readAllAgents(tx, session.sessionId)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }));
  for (const row of deliveries) if (row.status !== 'prepared') await settleLost(deps, session, row);
  if (status === 'active') await markAgentsStopped(deps, session, agents);
  for (const row of deliveries) lanes.wake(session, row.agentId);
}

/** Takes over what an earlier incarnation of this replica did not let go of. */
export async function recoverSessions(deps: RecordDeps, sessions: SessionRegistry): Promise<void> {
  const { ownership } = deps;
  const patiently = <T>(work: () => Promise<T>) => untilAnswered(work, ownership.isWaiting);
  let count = 0;
  let after: SessionKey | undefined;
  do {
    const page = await patiently(() => readFormerSessions(deps.db, ownership.identity, { after, limit: PAGE }));
    after = page.length < PAGE ? undefined : page.at(-1);
    count += page.length;
    const recoverRest = async () => {
      for (let session = page.pop(); session !== undefined && ownership.isWaiting(); session = page.pop()) {
        const recovered: SessionKey = session;
        using _visit = await patiently(() => sessions.visit(recovered));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, recoverRest));
  } while (after !== undefined && ownership.isWaiting());
  logSessionsRecovered(deps.log, { sessions: count });
}
