import type { OtherGateway } from '@attache/database';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { OtherGateways } from './other-gateways.ts';
import type { Slots } from './slots.ts';

/** Lets go of a session for another gateway. `onStay` is called if it stays after all. */
export type SendSession = (session: SessionKey, gateway: OtherGateway, onStay: () => void) => void;

/** How many sessions go to others at one look. */
const MAX_SENT = 20;

/** Sends sessions whose agents wait for a slot, and that have none here, to gateways that have room for them. */
export function sendWaiting(slots: Slots, others: OtherGateways, send: SendSession): void {
  const sent = new Set<string>();
  for (const { tenantId, sessionId } of slots.waiting()) {
    if (sent.size === MAX_SENT || sent.has(sessionId) || slots.isIn(sessionId)) continue;
    const gateway = others.withRoom(tenantId, undefined);
    if (!gateway) continue;
    sent.add(sessionId);
    // An agent that finds room here in the meantime would begin there as well.
    send({ tenantId, sessionId }, gateway, slots.withdraw(sessionId));
  }
}
