import { type AgentId, idFromUuid, type SessionPolicy, uuidFromId } from '@attache/contracts';
import { type AgentRow, describeAgent, type Named, readNamed, readSession } from '@attache/database';
import { listAccepted } from '@attache/domain';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, sessionNotFound } from '../not-found.ts';
import { capabilityOfTarget, type PlanDeps } from './plan-agent.ts';

type PolicyDeps = Pick<IngestDeps, 'db'> & PlanDeps & { settings: Pick<IngestDeps['settings'], 'maxUploadBytes'> };

/** The limits of messages to these agents, or to all present ones, and of uploads. */
export async function readPolicy(
  deps: PolicyDeps,
  caller: Caller,
  sessionId: string,
  agentIds: readonly AgentId[] | undefined,
): Promise<SessionPolicy> {
  const { tenantId } = caller;
  const wanted = agentIds ?? (await readAgentIds(deps, tenantId, sessionId));
  const names = { tenantId, sessionId, agentIds: wanted.map(uuidFromId), attachmentIds: [] };
  const named = await readNamed(deps.db, names);
  if (!named) throw sessionNotFound();
  const byId = new Map(named.agents.map((row) => [idFromUuid('agent', row.id), row]));
  const agents = wanted.map((id) => byId.get(id)).filter((row) => row !== undefined);
  // One that is taken out meanwhile was not asked for.
  if (agentIds !== undefined && agents.length < agentIds.length) throw agentNotFound();
  const freeBytes = caller.upload?.freeBytes ?? null;
  return {
    sessionId: idFromUuid('session', sessionId),
    status: named.session.status,
    conversions: named.session.conversions,
    maxUploadBytes: caller.maxUploadBytes ?? deps.settings.maxUploadBytes,
    quotaLeftBytes: freeBytes === null ? null : Math.max(0, freeBytes),
    agents: agents.map((row) => describeAccepting(deps, row, named)),
  };
}

async function readAgentIds({ db }: Pick<PolicyDeps, 'db'>, tenantId: string, sessionId: string): Promise<AgentId[]> {
  const session = await db.readAsTenant(tenantId, (tx) => readSession(tx, sessionId));
  if (!session) throw sessionNotFound();
  return session.agents.map(({ id }) => id);
}

type Known = Pick<Named, 'probes' | 'overrides' | 'contradictions'>;

function describeAccepting(deps: PlanDeps, row: AgentRow, known: Known): SessionPolicy['agents'][number] {
  const { id: agentId, name, target } = describeAgent(row);
  const { probes, overrides, contradictions } = known;
  const capability = capabilityOfTarget(deps, target, { probes, override: overrides.of(target), contradictions });
  const { tools = 'no', maxRequestBytes } = capability;
  return {
    ...{ agentId, name, target, accepts: listAccepted(capability), tools },
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
  };
}
