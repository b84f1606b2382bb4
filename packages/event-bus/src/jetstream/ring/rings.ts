import {
  type ConsumerName,
  consumerOfSubject,
  ownerRingSubjectOf,
  PROJECTOR_RING_SUBJECT,
  tenantRingSubjectOf,
} from '@attache/contracts';
import type { Announced, Ringing } from '@attache/database';
import { recordRing } from '@attache/telemetry';
import type { Msg, Subscription } from '@nats-io/nats-core';
import type { RingAddress } from '../../event-bus.ts';
import type { JetstreamLink } from '../link.ts';
import { formatRing, type Heard, parseRing, type Ring, toEarlyRing, toRing } from './ring-message.ts';

/**
 * How long the row of the outbox waits for its ring to have an effect. Longer than a busy consumer needs until it begins, so that the relay as a rule does not
 * repeat a ring that arrived; and short, since the work of a lost ring waits that long.
 */
export const FALLBACK_MS = 3_000;

/** A ring that was passed on so often has not found its owner: its message comes by the broker. */
const MAX_PASSED_ON = 3;

const TENANT_QUEUE = 'gateways';
const PROJECTOR_QUEUE = 'projectors';
const ANY_TENANT = 'attache.ring.gateway.tenant.*';

/** Rings between processes: nothing of it is stored, and what is lost comes by the outbox. */
export type Rings = Ringing & {
  /** Listens to the rings for a consumer of this process. Returns a function that ends it. */
  listen(consumer: ConsumerName, address: RingAddress | undefined, onRing: (ring: Ring) => void): () => void;
  /** Rings at once for the process that owns the session; where that is not known, for another one that may take it. */
  passOn(ring: Ring, owner: string | undefined): void;
};

type Listener = { consumer: ConsumerName; address: RingAddress | undefined; onRing: (ring: Ring) => void };

/** False: nobody can receive it now, or the ring is too large. */
function publishRing(link: JetstreamLink, subject: string, ring: Parameters<typeof formatRing>[0]): boolean {
  const formatted = link.isConnected() && !link.nc.isClosed() && !link.nc.isDraining() ? formatRing(ring) : undefined;
  if (!formatted) return false;
  link.nc.publish(subject, formatted.payload, { headers: formatted.headers });
  return true;
}

export function createRings(link: JetstreamLink): Rings {
  const here = new Set<Listener>();
  const publish = (subject: string, ring: Parameters<typeof formatRing>[0]) => publishRing(link, subject, ring);
  const hear = ({ consumer, onRing }: Listener, message: Heard) => {
    const ring = parseRing(message);
    if (ring && consumerOfSubject(ring.subject) === consumer) onRing(ring);
    else link.log.warn('bus.ring_refused');
  };
  // The broker brings a connection nothing of its own.
  const ringHere = (announced: Announced): boolean => {
    const formatted = formatRing(toRing(announced));
    const listener = [...here].find((one) => isFor(one, announced));
    if (!formatted || !listener) return false;
    hear(listener, { data: new TextEncoder().encode(formatted.payload), headers: formatted.headers });
    return true;
  };
  return {
    fallbackMs: () => (link.isConnected() ? FALLBACK_MS : 0),
    ring(announced) {
      const { subject } = announced;
      try {
        const isRung = ringHere(announced) || publish(addressOf(announced), toRing(announced));
        recordRing({ subject, outcome: isRung ? 'rung' : 'not-rung' });
        return isRung;
      } catch (error) {
        // The caller has committed already: an id that may not be part of a subject is logged, not thrown.
        link.log.error({ err: error, subject }, 'bus.ring_refused');
        return false;
      }
    },
    ringEarly(early) {
      try {
        publish(ownerRingSubjectOf(early.owner), toEarlyRing(early));
      } catch (error) {
        link.log.error({ err: error }, 'bus.ring_refused');
      }
    },
    listen(consumer, address, onRing) {
      const listener = { consumer, address, onRing };
      here.add(listener);
      const subscriptions = subscribe(link, listener, (message) => hear(listener, message));
      return () => {
        here.delete(listener);
        if (!link.nc.isClosed()) for (const subscription of subscriptions) subscription.unsubscribe();
      };
    },
    passOn(ring, owner) {
      if (ring.passedOn >= MAX_PASSED_ON) return;
      const { tenantId, subject } = ring;
      const isSent = publish(owner ? ownerRingSubjectOf(owner) : tenantRingSubjectOf(tenantId), {
        ...ring,
        // The next owner reads the head itself.
        head: undefined,
        passedOn: ring.passedOn + 1,
      });
      if (isSent) recordRing({ subject, outcome: 'passed-on' });
    },
  };
}

function isFor({ consumer, address }: Listener, { subject, owner, data }: Announced): boolean {
  if (consumer !== consumerOfSubject(subject)) return false;
  if (owner) return owner === address?.incarnation;
  return address?.onlyTenant === undefined || address.onlyTenant === data.tenantId;
}

function addressOf({ subject, owner, data }: Announced): string {
  if (consumerOfSubject(subject) === 'projector') return PROJECTOR_RING_SUBJECT;
  return owner ? ownerRingSubjectOf(owner) : tenantRingSubjectOf(data.tenantId);
}

function subscribe(
  { nc }: JetstreamLink,
  { consumer, address }: Listener,
  hear: (message: Msg) => void,
): Subscription[] {
  const callback = (error: Error | null, message: Msg) => (error ? undefined : hear(message));
  if (consumer === 'projector') return [nc.subscribe(PROJECTOR_RING_SUBJECT, { callback, queue: PROJECTOR_QUEUE })];
  const { onlyTenant } = address ?? {};
  // Gateways for one tenant alone are in the same group: one of all gateways that may take the session gets the ring.
  const ofTenants = onlyTenant === undefined ? ANY_TENANT : tenantRingSubjectOf(onlyTenant);
  const unowned = nc.subscribe(ofTenants, { callback, queue: TENANT_QUEUE });
  return address ? [unowned, nc.subscribe(ownerRingSubjectOf(address.incarnation), { callback })] : [unowned];
}
