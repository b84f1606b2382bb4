import { type DeliveryPlan, Fault, idFromUuid } from '@attache/contracts';
import { acceptMessage, type NewMessage, newGrantId, sessionEnded } from '@attache/database';
import {
  currentTrace,
  currentTraceId,
  logDeliveryMoved,
  logMessageAccepted,
  logMessageBlocked,
} from '@attache/telemetry';
import { v7 as uuidV7 } from 'uuid';
import { assertRight, type Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, attachmentNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';
import { agentContended } from '../session/retarget-agent.ts';
import { composeDeliveries } from './compose-deliveries.ts';
import { composeSentEvents } from './compose-sent-events.ts';
import { describeSent, type SentMessage } from './describe-sent.ts';
import { type Draft, findNamed, type PlanMessageDeps, type PlannedMessage, planMessage } from './plan-message.ts';
import { refuseBeyondTokens } from './refuse-beyond-tokens.ts';

// Each further one comes from another change meanwhile, of a target or a file.
const ATTEMPTS = 4;

/** Deliveries of one agent that have not ended (BX-32). */
const MAX_WAITING = 1_000;

export type SendOptions = {
  /** Also sends files of which it is unknown whether the model takes them. */
  isUnknownOverridden: boolean;
  /** Leaves out agents that cannot take it. */
  isPartial: boolean;
  /** Media in its words stay there. */
  keepsTextMedia?: boolean;
};

/** A message says something or shows something. */
export function refuseEmpty(draft: Pick<Draft, 'text'> & { attachmentIds: readonly string[] }): void {
  if (draft.text.trim() !== '' || draft.attachmentIds.length > 0) return;
  throw new Fault('INVALID_REQUEST', 'The message has neither text nor attachments. Give it one of them.');
}

const isDeliverable = ({ decision }: DeliveryPlan): boolean => decision === 'deliver';

/** Any blocker stops the whole message: nothing is stored as sent (DL-21). Where parts were asked for, only if nobody gets one. */
type SendDeps = Pick<IngestDeps, 'log'> & PlanMessageDeps;

function refuseBlocked(
  deps: Pick<IngestDeps, 'log'>,
  sessionId: string,
  { plans }: PlannedMessage,
  isPartial: boolean,
): void {
  if (plans.every(isDeliverable) || (isPartial && plans.some(isDeliverable))) return;
  const failures = plans.flatMap((plan) => plan.failures);
  const codes = [...new Set(failures.map((failure) => failure.code))];
  logMessageBlocked(deps.log, { sessionId: idFromUuid('session', sessionId), codes });
  const reasons = [...new Set(failures.map((failure) => failure.userMessage))].join(' ');
  throw new Fault('DELIVERY_BLOCKED', `Nothing was sent. ${reasons}`, { failures, plans });
}

/** The message for those agents that get it (DL-55). */
function leaveOutBlocked({ agents, plans, attachments }: PlannedMessage): PlannedMessage {
  const isTaken = (_: unknown, index: number) => isDeliverable(plans[index] as DeliveryPlan);
  return { agents: agents.filter(isTaken), plans: plans.filter(isTaken), attachments };
}

function composeGrants({ agents, attachments }: PlannedMessage): NewMessage['grants'] {
  return agents.flatMap((agent) =>
    attachments.map((attachment) => ({ id: newGrantId(), attachmentId: attachment.id, agentId: agent.id })),
  );
}

const sessionParked = (): Fault =>
  new Fault(
    'SESSION_PARKED',
    'Nothing of this session is delivered now, since the service died over it again and again. Ask the operator.',
  );

const lineFull = (): Fault =>
  new Fault(
    'RATE_LIMITED',
    `${MAX_WAITING} messages to an agent of this session wait already. Wait for answers, or cancel some.`,
    { retryable: true, retryAfterSeconds: 5 },
  );

/** False: an agent has another target by now, or a file is not as it was; the message is to be planned again. */
async function store(deps: SendDeps, message: NewMessage): Promise<boolean> {
  const accepted = await acceptMessage(deps.db, message);
  switch (accepted.outcome) {
    case 'accepted':
      return true;
    case 'target-changed':
    case 'attachment-changed':
      return false;
    case 'session-ended':
      throw sessionEnded();
    case 'session-parked':
      throw sessionParked();
    case 'line-full':
      throw lineFull();
    case 'agent-gone':
      throw agentNotFound();
    case 'attachment-gone':
      throw attachmentNotFound();
    default:
      return accepted satisfies never;
  }
}

/** Refuses a message before its files are stored, if it would be refused whatever is in them. */
export async function checkDraft(
  deps: SendDeps,
  caller: Caller,
  sessionId: string,
  draft: Draft & SendOptions,
): Promise<void> {
  if (draft.isUnknownOverridden) assertRight(caller, 'overrides:manage');
  const { session, tokens } = await findNamed(deps, caller, sessionId, draft);
  if (session.status === 'ended') throw sessionEnded();
  refuseBeyondTokens(tokens);
}

/** Accepts a message for each agent it names, with frozen plans, or refuses it whole. */
export async function sendMessage(
  deps: SendDeps,
  caller: Caller,
  sessionId: string,
  draft: Draft & SendOptions,
  keep: Keep,
): Promise<SentMessage> {
  refuseEmpty(draft);
  if (draft.isUnknownOverridden) assertRight(caller, 'overrides:manage');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const sent = await planAndStore(deps, caller, sessionId, draft, keep);
    if (sent) return sent;
  }
  throw agentContended();
}

/** Undefined: it was planned on rows that are changing. */
async function planAndStore(
  deps: SendDeps,
  caller: Caller,
  sessionId: string,
  draft: Draft & SendOptions,
  keep: Keep,
): Promise<SentMessage | undefined> {
  const whole = await planMessage(deps, caller, sessionId, draft, draft.isUnknownOverridden);
  if (whole.sessionStatus === 'ended') throw sessionEnded();
  refuseBeyondTokens(whole.tokens);
  refuseBlocked(deps, sessionId, whole, draft.isPartial);
  const kept = leaveOutBlocked(whole);
  const ids = { messageId: uuidV7(), deliveryIds: kept.agents.map(() => uuidV7()) };
  const deliveries = composeDeliveries({ ...caller, sessionId, text: draft.text }, kept, ids);
  const planned = { ...kept, all: whole.plans, deliveries };
  const leftOut = whole.plans.filter((plan) => !isDeliverable(plan));
  const sent = {
    ...describeSent(caller, { sessionId, text: draft.text, messageId: ids.messageId }, planned),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
  const grants = composeGrants(planned);
  const isStored = await store(deps, {
    tenantId: caller.tenantId,
    sessionId,
    messageId: ids.messageId,
    maxWaiting: MAX_WAITING,
    sender: caller.actor,
    text: draft.text,
    attachmentIds: planned.attachments.map((attachment) => attachment.id),
    deliveries,
    found: whole.found,
    composedOf: planned.attachments.map(({ id, blobKey, attachment: { status } }) => ({ id, blobKey, status })),
    grants,
    createdAt: sent.message.createdAt,
    trace: currentTrace(),
    traceId: currentTraceId(),
    events: composeSentEvents(caller, planned, ids, grants),
    idempotency: keep.asRecord(sent),
  });
  if (!isStored) return undefined;
  logMessageAccepted(deps.log, {
    messageId: sent.message.id,
    sessionId: sent.message.sessionId,
    deliveries: sent.deliveries.length,
    attachments: planned.attachments.length,
    textBytes: Buffer.byteLength(draft.text),
    ...(draft.keepsTextMedia ? { textMedia: 'keep' } : {}),
  });
  for (const { id, status } of sent.deliveries)
    if (status === 'prepared') logDeliveryMoved(deps.log, { deliveryId: id, status });
  return sent;
}
