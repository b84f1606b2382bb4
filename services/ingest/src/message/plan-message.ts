import type { DeliveryPlan, Fault } from '@attache/contracts';
import { type AgentRow, type DayTokens, type FoundNamed, readNamed, type StoredAttachment } from '@attache/database';
import { assertRight, type Caller, takeNamed } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, attachmentNotFound, sessionNotFound } from '../not-found.ts';
import { type PlanDeps, planForAgent } from '../session/plan-agent.ts';
import { type WaitDeps, waitForInspection } from './wait-for-inspection.ts';
import { findUnasked, waitForProbes } from './wait-for-probes.ts';

export type Draft = { to: readonly string[]; text: string; attachmentIds: readonly string[] };

/** The plans of a message, with the rows that they were made on. */
export type PlannedMessage = {
  agents: AgentRow[];
  attachments: StoredAttachment[];
  plans: DeliveryPlan[];
};

type Planned = PlannedMessage & {
  sessionStatus: 'active' | 'ended';
  tokens: DayTokens;
  /** The rows it was planned on, as the database returned them. */
  found: FoundNamed;
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

export type PlanMessageDeps = WaitDeps & PlanDeps;

// An agent would read a file aloud to anyone who asks: naming a file is reading it. A user's own uploads are known to that user already.
function refuseUnreadable(caller: Caller, attachments: readonly StoredAttachment[]): void {
  if (attachments.some(({ uploadedBy }) => uploadedBy !== caller.actor.id)) assertRight(caller, 'attachments:read');
}

/**
 * The session, agents and attachments that a draft names; unknown, foreign and deleted ones are refused, and so are those that the caller may not
 * read and did not upload (BX-09).
 */
export async function findNamed(deps: Pick<IngestDeps, 'db'>, caller: Caller, sessionId: string, draft: Draft) {
  const { to, attachmentIds } = draft;
  const { tenantId } = caller;
  const ids = { sessionId, agentIds: to, attachmentIds };
  const named = takeNamed(caller, ids) ?? (await readNamed(deps.db, { tenantId, ...ids }));
  if (!named) throw sessionNotFound();
  const agents = pickInOrder(named.agents, to, agentNotFound);
  const here = named.attachments.filter((attachment) => attachment.sessionId === sessionId);
  const attachments = pickInOrder(here, attachmentIds, attachmentNotFound);
  refuseUnreadable(caller, attachments);
  return { ...named, agents, attachments };
}

/**
 * Plans a draft for each agent it names. Named attachments that are still being inspected are waited for, and so are programs that were not yet asked
 * what they carry. Ids that are unknown, foreign or deleted are refused before any plan.
 */
export async function planMessage(
  deps: PlanMessageDeps,
  caller: Caller,
  sessionId: string,
  request: Draft,
  isUnknownOverridden = false,
): Promise<Planned> {
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
  const planned = planNamed(deps, named, draft, isUnknownOverridden);
  const unasked = findUnasked(planned, named.probes, isUnknownOverridden);
  if (unasked.length === 0 || !(await waitForProbes(deps, caller, unasked))) return planned;
  return planNamed(deps, await findNamed(deps, caller, sessionId, draft), draft, isUnknownOverridden);
}

function planNamed(
  deps: PlanDeps,
  named: Awaited<ReturnType<typeof findNamed>>,
  { text }: Draft,
  isUnknownOverridden: boolean,
): Planned {
  const attachments = named.attachments.map(({ attachment }) => attachment);
  const context = { named, text, attachments, isUnknownOverridden };
  const plans = named.agents.map((agent) => planForAgent(deps, agent, context));
  const { agents, tokens, session, found } = named;
  return { agents, attachments: named.attachments, plans, sessionStatus: session.status, tokens, found };
}
