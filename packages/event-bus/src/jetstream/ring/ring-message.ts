import type { Subject } from '@attache/contracts';
import type { Announced } from '@attache/database';
import type { MsgHdrs } from '@nats-io/nats-core';
import { type Delivered, formatHeaders, readDelivered } from '../envelope.ts';
import { MAX_MESSAGE_BYTES } from '../topology.ts';

/** What a ring carries: what the relay would publish, and how often it was passed on. */
export type Ring = Delivered & { passedOn: number };

type Rung = Pick<Announced, 'id' | 'subject' | 'trace'> & { tenantId: string; data: unknown; passedOn: number };

export const toRing = ({ id, subject, data, trace }: Announced): Rung => ({
  ...{ id, subject, data, trace, tenantId: data.tenantId, passedOn: 0 },
});

/** Undefined where it is larger than a bus message may be: the relay gives that one up. */
export function formatRing(ring: Rung): { payload: string; headers: MsgHdrs } | undefined {
  const { id, tenantId, subject, data, passedOn } = ring;
  const payload = JSON.stringify({ id, tenantId, subject, data, passedOn });
  if (Buffer.byteLength(payload) > MAX_MESSAGE_BYTES) return undefined;
  return { payload, headers: formatHeaders(ring.trace ?? null) };
}

/** What came over the wire. */
export type Heard = { data: Uint8Array; headers?: MsgHdrs | undefined };

/** Undefined for what is no ring. */
export function parseRing({ data, headers }: Heard): Ring | undefined {
  try {
    const { subject, passedOn, ...envelope } = JSON.parse(new TextDecoder().decode(data));
    // No emission has taken place, and nothing counts yet.
    const delivered = readDelivered(subject as Subject, { ...envelope, attempts: 0 }, { emission: 0, headers });
    return delivered && { ...delivered, passedOn: Number.isInteger(passedOn) ? passedOn : 0 };
  } catch {
    return undefined;
  }
}
