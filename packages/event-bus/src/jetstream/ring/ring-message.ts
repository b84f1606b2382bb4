import type { Subject } from '@attache/contracts';
import type { Announced } from '@attache/database';
import type { MsgHdrs } from '@nats-io/nats-core';
import { type Delivered, formatHeaders, readDelivered } from '../envelope.ts';
import { MAX_MESSAGE_BYTES } from '../topology.ts';

/** What a ring carries: what the relay would publish, how often it was passed on, and of a delivery perhaps what it is about. */
export type Ring = Delivered & { passedOn: number };

type Rung = Pick<Announced, 'id' | 'subject' | 'trace'> & {
  tenantId: string;
  data: unknown;
  passedOn: number;
  head?: unknown;
};

export const toRing = ({ id, subject, data, trace, head }: Announced): Rung => ({
  ...{ id, subject, data, trace, tenantId: data.tenantId, passedOn: 0, head },
});

/** Undefined where it is larger than a bus message may be: the relay gives that one up. */
export function formatRing(ring: Rung): { payload: string; headers: MsgHdrs } | undefined {
  const { id, tenantId, subject, data, passedOn, head } = ring;
  const bare = { id, tenantId, subject, data, passedOn };
  const whole = head === undefined ? undefined : JSON.stringify({ ...bare, head });
  // Whoever is rung for without it reads it.
  const payload = whole !== undefined && fits(whole) ? whole : JSON.stringify(bare);
  return fits(payload) ? { payload, headers: formatHeaders(ring.trace ?? null) } : undefined;
}

const fits = (payload: string): boolean => Buffer.byteLength(payload) <= MAX_MESSAGE_BYTES;

/** What came over the wire. */
export type Heard = { data: Uint8Array; headers?: MsgHdrs | undefined };

/** Undefined for what is no ring. */
export function parseRing({ data, headers }: Heard): Ring | undefined {
  try {
    const { subject, passedOn, head, ...envelope } = JSON.parse(new TextDecoder().decode(data));
    // No emission has taken place, and nothing counts yet.
    const delivered = readDelivered(subject as Subject, { ...envelope, attempts: 0 }, { emission: 0, headers });
    return delivered && { ...delivered, head, passedOn: Number.isInteger(passedOn) ? passedOn : 0 };
  } catch {
    return undefined;
  }
}
