import { type DeliveryPlan, type Fault, idFromUuid } from '@attache/contracts';
import { type AgentRow, describeAgent, readNamed, type StoredAttachment } from '@attache/database';
import { planDelivery, resolveCapability } from '@attache/domain';
import type { Caller } from './caller.ts';
import { sessionNotFound } from './create-session.ts';
import { attachmentNotFound } from './delete-attachment.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { agentNotFound } from './remove-agent.ts';
import { waitForInspection } from './wait-for-inspection.ts';

export type Draft = { to: readonly string[]; text: string; attachmentIds: readonly string[] };

/** What a message would become, with the rows it was planned on. */
export type PlannedMessage = {
  agents: AgentRow[];
  attachments: StoredAttachment[];
  plans: DeliveryPlan[];
};

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

function pickInOrder<T extends { id: string }>(rows: readonly T[], ids: readonly string[], missing: () => Fault): T[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row) throw missing();
    return row;
  });
}

async function findNamed(deps: IngestDeps, { tenantId }: Caller, sessionId: string, draft: Draft) {
  const { to, attachmentIds } = draft;
  const named = await readNamed(deps.db, { tenantId, sessionId, agentIds: to, attachmentIds });
  if (!named) throw sessionNotFound();
  const { session, probes } = named;
  const agents = pickInOrder(named.agents, to, agentNotFound);
  const here = named.attachments.filter((attachment) => attachment.sessionId === sessionId);
  return { session, agents, attachments: pickInOrder(here, attachmentIds, attachmentNotFound), probes };
}

/**
 * Plans a draft for each agent it names. Named attachments that are still being inspected are waited for. Ids that are
 * unknown, foreign or deleted are refused before any plan.
 */
export async function planMessage(
  deps: IngestDeps,
  caller: Caller,
  sessionId: string,
  request: { to: readonly string[]; text: string; attachmentIds: readonly string[] },
): Promise<PlannedMessage & { sessionStatus: 'active' | 'ended' }> {
  const draft = { ...request, to: unique(request.to), attachmentIds: unique(request.attachmentIds) };
  const first = await findNamed(deps, caller, sessionId, draft);
  const pending = first.attachments.filter(({ attachment }) => attachment.status === 'pending');
  if (pending.length > 0)
    await waitForInspection(
      deps,
      caller,
      sessionId,
      pending.map(({ id }) => id),
    );
  const named = pending.length > 0 ? await findNamed(deps, caller, sessionId, draft) : first;
  const plans = named.agents.map((agent) => {
    const { target } = describeAgent(agent);
    const profile = deps.profiles[agent.profile];
    const capability = resolveCapability({
      target,
      declared: named.probes.get(agent.profile),
      profileCapability: profile?.capability,
      lineBytes: profile?.limits.lineBytes ?? 0,
    });
    return planDelivery({
      agentId: idFromUuid('agent', agent.id),
      target,
      capability,
      text: draft.text,
      attachments: named.attachments.map(({ attachment }) => attachment),
      conversions: named.session.conversions,
      resident: {},
      isUnknownOverridden: false,
    });
  });
  return { agents: named.agents, attachments: named.attachments, plans, sessionStatus: named.session.status };
}
