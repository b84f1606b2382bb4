import { randomUUID } from 'node:crypto';
import type { Subject } from '@attache/contracts';
import type { Announced, EarlyBlob, EarlyRing } from '@attache/database';
import type { MsgHdrs } from '@nats-io/nats-core';
import { type Delivered, formatHeaders, readDelivered } from '../envelope.ts';
import { MAX_MESSAGE_BYTES } from '../topology.ts';

/**
 * The content of a ring: the message that the relay would publish, how often it was passed on, and perhaps the attachment or delivery itself. An `early` one
 * comes before its commit and names the blobs of the delivery.
 */
export type Ring = Delivered & { passedOn: number; early?: readonly EarlyBlob[] | undefined };

type Rung = Pick<Announced, 'id' | 'subject' | 'trace'> & {
  tenantId: string;
  data: unknown;
  passedOn: number;
  head?: unknown;
  early?: readonly EarlyBlob[] | undefined;
};

/** Its id names no row, so that a gateway of the release before has nothing to settle. */
export const toEarlyRing = ({ data, blobs }: EarlyRing): Rung => ({
  ...{ id: randomUUID(), subject: 'delivery.prepared', data, tenantId: data.tenantId, passedOn: 0, early: blobs },
});

export const toRing = ({ id, subject, data, trace, head }: Announced): Rung => ({
  ...{ id, subject, data, trace, tenantId: data.tenantId, passedOn: 0, head },
});

/** Undefined if it is larger than a bus message may be: the relay gives that one up. */
export function formatRing(ring: Rung): { payload: string; headers: MsgHdrs } | undefined {
  const { id, tenantId, subject, data, passedOn, head, early } = ring;
  const bare = { id, tenantId, subject, data, passedOn, early };
  const whole = head === undefined ? undefined : JSON.stringify({ ...bare, head });
  // A consumer that gets no head reads it.
  const payload = whole !== undefined && fits(whole) ? whole : JSON.stringify(bare);
  return fits(payload) ? { payload, headers: formatHeaders(ring.trace ?? null) } : undefined;
}

const fits = (payload: string): boolean => Buffer.byteLength(payload) <= MAX_MESSAGE_BYTES;

/** A ring as it came over the wire. */
export type Heard = { data: Uint8Array; headers?: MsgHdrs | undefined };

/** The blobs in the right form. */
function readEarlyBlobs(early: unknown): EarlyBlob[] {
  if (!Array.isArray(early)) return [];
  return early.filter(
    (blob) => typeof blob?.key === 'string' && Number.isSafeInteger(blob.sizeBytes) && blob.sizeBytes >= 0,
  );
}

/** Undefined for what is no ring. */
export function parseRing({ data, headers }: Heard): Ring | undefined {
  try {
    const { subject, passedOn, head, early, ...envelope } = JSON.parse(new TextDecoder().decode(data));
    // No emission has taken place, and nothing counts yet.
    const delivered = readDelivered(subject as Subject, { ...envelope, attempts: 0 }, { emission: 0, headers });
    const blobs = early === undefined ? undefined : readEarlyBlobs(early);
    return delivered && { ...delivered, head, early: blobs, passedOn: Number.isInteger(passedOn) ? passedOn : 0 };
  } catch {
    return undefined;
  }
}
