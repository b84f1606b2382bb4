import { type BusMessage, isFault } from '@attache/contracts';
import { findDelivery, findProfile, type NextDelivery, type OtherGateway, readRungHead } from '@attache/database';
import type { BusConsumer, Settlement } from '@attache/event-bus';
import { describeProcess, withSpan } from '@attache/telemetry';
import { closeAgent, closeSession } from '../deliver/close-session.ts';
import type { DeliverDeps } from '../deliver/deliver.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { Parts } from './connect-parts.ts';

const CONCURRENCY = 16;

// A message that waited since an earlier release names no agent.
async function findAgentId(
  { db }: DeliverDeps,
  { tenantId, deliveryId }: { tenantId: string; deliveryId: string },
): Promise<string | undefined> {
  return (await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId)))?.agentId;
}

/** The delivery that a ring for a prepared one brought with it. */
function readHead({ subject, data }: BusMessage, head: unknown): NextDelivery | undefined {
  return subject === 'delivery.prepared' && head !== undefined ? readRungHead(head, data) : undefined;
}

type Handling = Pick<Parts, 'deps' | 'lanes' | 'sessions' | 'placement'>;

/** Another gateway that should take the session of a delivery, which nobody owns: this one has no room, or not its program. */
async function findBetter(
  { deps, placement }: Handling,
  { subject, data }: BusMessage,
): Promise<OtherGateway | undefined> {
  if (subject !== 'delivery.prepared' || deps.ownership.isHeld(data)) return undefined;
  const { tenantId, deliveryId } = data;
  const profile = placement.isByProgram()
    ? await deps.db.readAsTenant(tenantId, (tx) => findProfile(tx, deliveryId))
    : undefined;
  return placement.findBetter(tenantId, profile);
}

async function handle(
  handling: Handling,
  message: BusMessage,
  head?: unknown,
  isSecondTry = false,
): Promise<Settlement> {
  const { deps, lanes, sessions } = handling;
  const { tenantId, sessionId } = message.data;
  const session = { tenantId, sessionId };
  const better = isSecondTry ? undefined : await findBetter(handling, message);
  if (better) return { as: 'elsewhere', owner: better.incarnation };
  using visit = await sessions.visit(session);
  if (!visit) {
    const owner = await deps.ownership.findOther(session);
    // It may have been let go of in between.
    return owner === undefined && !isSecondTry
      ? handle(handling, message, undefined, true)
      : { as: 'elsewhere', owner };
  }
  switch (message.subject) {
    case 'delivery.prepared':
    case 'delivery.stopped': {
      const agentId = message.data.agentId ?? (await findAgentId(deps, message.data));
      if (agentId !== undefined) lanes.wake(session, agentId, readHead(message, head));
      // The lane may not read everything now: the claim of a prepared delivery settles the message that announced it.
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

// The gateway that took the session meanwhile takes its message too.
async function orElsewhere({ ownership }: DeliverDeps, session: SessionKey, error: unknown): Promise<Settlement> {
  if (isFault(error, 'OWNERSHIP_LOST')) return { as: 'elsewhere', owner: await ownership.findOther(session) };
  throw error;
}

/** Takes what is rung or brought for sessions that this gateway owns or may take. */
export function consumeMessages(handling: Handling): BusConsumer {
  const { deps, lanes } = handling;
  return deps.bus.consume({
    consumer: 'runner-gateway',
    address: { incarnation: deps.ownership.identity.incarnation, onlyTenant: deps.settings.pinnedTenant },
    concurrency: CONCURRENCY,
    onEarly({ subject, data }, blobs) {
      // A running agent takes it at once if nothing else is in progress in its session.
      if (subject !== 'delivery.prepared' || data.agentId === undefined || lanes.isBusy(data.sessionId)) return;
      if (deps.ownership.isHeld(data) && deps.host.hasProcess(data.agentId)) deps.early.begin(blobs);
    },
    handle: (message, head) => {
      const parent = message.trace ?? 'root';
      const attributes = describeProcess(message, 'runner-gateway');
      const links = [message.receivedIn];
      return withSpan({ name: `process ${message.subject}`, kind: 'consumer', parent, links, attributes }, () =>
        handle(handling, message, head).catch((error) => orElsewhere(deps, message.data, error)),
      );
    },
  });
}
