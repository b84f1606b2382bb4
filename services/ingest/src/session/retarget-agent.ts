import {
  type Agent,
  type DeliveryPlan,
  Fault,
  idFromUuid,
  type Target,
  type TargetRequest,
  uuidFromId,
} from '@attache/contracts';
import {
  type AgentRow,
  appendAsCaller,
  applyInTransaction,
  type DeliveryDraft,
  type DeliveryRow,
  describeAgent,
  endQuarantinesOfAgent,
  findAgent,
  findSession,
  lockDeliveriesOfAgent,
  type Named,
  type NewEvent,
  readDeliveriesOfAgent,
  readMessages,
  readNamed,
  sessionEnded,
  setAgentTarget,
  stateOf,
  type Tx,
} from '@attache/database';
import { requireDecision } from '@attache/domain';
import type { Caller } from '../caller/caller.ts';
import { queueAgain, readAtHand } from '../delivery/queue-again.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, sessionNotFound } from '../not-found.ts';
import { resolveTargetOrRefuse } from './create-session.ts';
import { composeEndedEvents } from './end-quarantine.ts';
import { type PlanDeps, planForAgent } from './plan-agent.ts';

/** A delivery that no byte of was written, with the plan that it has for the new target, and the blobs of the attachments (uuids) that this is for. */
type Replanned = { row: DeliveryRow; plan: DeliveryPlan; plannedOn: ReadonlyMap<string, string> };

type Change = { sessionId: string; agentId: string; target: Target };

// Each further one comes from a message that was accepted meanwhile, or from another change.
const ATTEMPTS = 8;

/** The fault for a caller whose agent others keep changing at the same time. */
export const agentContended = (): Fault =>
  new Fault('DATABASE_UNAVAILABLE', 'Others are changing the same agent. Try again in a moment.', { retryable: true });

class Raced extends Error {}

async function readUnwritten(tx: Tx, { sessionId, agentId }: Change) {
  const rows = await readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared']);
  const messages = await readMessages(
    tx,
    sessionId,
    rows.map(({ messageId }) => messageId),
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  return rows.map((row) => ({ row, text: byId.get(row.messageId)?.text ?? '' }));
}

/** Plans again the deliveries that wait for the agent, each as if it were sent now to the new target (DL-51). */
type RetargetDeps = Pick<IngestDeps, 'db'> & PlanDeps;

async function replan(deps: RetargetDeps, caller: Caller, change: Change): Promise<Replanned[]> {
  const { tenantId } = caller;
  const unwritten = await deps.db.asTenant(tenantId, (tx) => readUnwritten(tx, change));
  const replanned: Replanned[] = [];
  for (const { row, text } of unwritten) {
    const attachmentIds = row.plan.items.map(({ attachmentId }) => uuidFromId(attachmentId));
    const { sessionId, agentId, target } = change;
    const named = await readNamed(deps.db, { tenantId, sessionId, agentIds: [agentId], attachmentIds });
    const agent = named?.agents[0];
    if (!named || !agent) continue;
    // Whether unknown abilities were overridden is in the plan that it had.
    const isUnknownOverridden = row.plan.items.some(
      ({ checks, becomes }) => checks.model === 'unknown' && becomes !== 'blocked',
    );
    const context = {
      named: withoutHistory(named),
      text,
      attachments: named.attachments.map(({ attachment }) => attachment),
      isUnknownOverridden,
    };
    const plannedOn = new Map(named.attachments.map(({ id, blobKey }) => [id, blobKey]));
    replanned.push({ row, plan: planForAgent(deps, agent, context, target), plannedOn });
  }
  return replanned;
}

// The runtime is started again for the new target, and holds nothing then.
const withoutHistory = (named: Named): Named => ({ ...named, resident: new Map() });

/** Returns the events that are to be appended last. */
async function moveToNewPlan(tx: Tx, replanned: Replanned, targetVersion: number, draft: DeliveryDraft | undefined) {
  const { row, plan } = replanned;
  const decision = requireDecision(stateOf(row), { kind: 'replanned', plan, targetVersion });
  const decisions = queueAgain(decision, plan, isAsPlanned(replanned, draft) ? draft : undefined);
  return (await applyInTransaction(tx, ...decisions)) ? decisions.flatMap(({ events }) => events) : [];
}

// On the very bytes that were planned on.
function isAsPlanned({ plannedOn }: Replanned, draft: DeliveryDraft | undefined): boolean {
  const attachments = draft?.attachments ?? [];
  return attachments.every(({ id, blobKey }) => plannedOn.get(id) === blobKey);
}

type Switch = Change & { from: AgentRow; replanned: Replanned[] };

/** Deliveries first, all of them, then the agent, as every step of a delivery locks them. */
async function switchTarget(tx: Tx, caller: Caller, { sessionId, agentId, target, from, replanned }: Switch) {
  const version = from.targetVersion;
  const moved: NewEvent[] = [];
  // The first move locks the agent, behind which no delivery may be waited for.
  if (replanned.length > 1) await lockDeliveriesOfAgent(tx, agentId, ['queued', 'prepared']);
  const atHand = await readAtHand(
    tx,
    replanned.map(({ row: { id }, plan }) => ({ id, plan })),
  );
  for (const one of replanned) moved.push(...(await moveToNewPlan(tx, one, version + 1, atHand.get(one.row.id))));
  // Sent together. What the model before refused, another one may take.
  const [isSet, ended] = await Promise.all([
    setAgentTarget(tx, { sessionId, agentId, version }, target),
    endQuarantinesOfAgent(tx, agentId),
  ]);
  if (!isSet) {
    if (await findAgent(tx, sessionId, agentId)) throw new Raced();
    throw agentNotFound();
  }
  // A message that was accepted since they were read is planned for the target that the agent had.
  const unwritten = await readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared']);
  if (unwritten.some(({ targetVersion }) => targetVersion !== version + 1)) throw new Raced();
  const deliveries = replanned.map(({ row, plan }) => ({
    deliveryId: idFromUuid('delivery', row.id),
    decision: plan.decision,
  }));
  const data = { agentId: idFromUuid('agent', agentId), from: describeAgent(from).target, to: target, deliveries };
  await appendAsCaller(tx, sessionId, [
    { kind: 'agent.target_changed', actor: caller.actor, data },
    ...composeEndedEvents(caller.actor, ended),
    ...moved,
  ]);
}

async function tryRetarget(deps: RetargetDeps, caller: Caller, change: Change) {
  const { tenantId } = caller;
  const { sessionId, agentId, target } = change;
  const named = await readNamed(deps.db, { tenantId, sessionId, agentIds: [agentId], attachmentIds: [] });
  const from = named?.agents[0];
  if (!named) throw sessionNotFound();
  if (!from) throw agentNotFound();
  const replanned = await replan(deps, caller, change);
  try {
    await deps.db.asTenant(tenantId, async (tx) => {
      if ((await findSession(tx, sessionId))?.status !== 'active') throw sessionEnded();
      await switchTarget(tx, caller, { ...change, from, replanned });
    });
  } catch (error) {
    if (error instanceof Raced) return undefined;
    throw error;
  }
  return { agent: { ...describeAgent(from), target }, plans: replanned.map(({ plan }) => plan) };
}

/**
 * Gives an agent another target. A delivery that was not written yet is planned again and continues, or fails with its reason; one in progress
 * ends as it was. The next delivery starts the agent again.
 */
export async function retargetAgent(
  deps: RetargetDeps,
  caller: Caller,
  { sessionId, agentId, target: request }: { sessionId: string; agentId: string; target: TargetRequest },
): Promise<{ agent: Agent; plans: DeliveryPlan[] }> {
  const target = resolveTargetOrRefuse(deps, request);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const done = await tryRetarget(deps, caller, { sessionId, agentId, target });
    if (done) return done;
  }
  throw agentContended();
}
