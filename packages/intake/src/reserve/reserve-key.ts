import { randomBytes, randomUUID } from 'node:crypto';
import { type BlobKey, createBlobKey } from '@attache/blob-store';
import { isFault } from '@attache/contracts';
import {
  abandonUpload,
  createTimeLimit,
  type IdempotencyKey,
  type KeptAnswer,
  type ReservationOutcome,
  reserveUpload,
  settleAbandonedBlob,
  untilAnswered,
} from '@attache/database';
import { recordReservation } from '@attache/telemetry';
import type { IncomingFile, IntakeDeps, UploadIdempotency } from '../incoming-file.ts';
import { reservationFault } from '../intake-fault.ts';

// Afterwards the reservation is the sweep's, and the key ends by its own time.
const ABANDON_WITHIN_MS = 30 * 60_000;

/** The reservation that an upload holds until it is recorded: a blob row, and the right to write under its key. `urlGeneration` is the tenant's. */
export type ReservedKey = {
  outcome: 'reserved';
  tenantId: string;
  blobId: string;
  key: BlobKey;
  urlGeneration: number;
  idempotency: IdempotencyKey | undefined;
};

/** The facts known about the bytes to be written. */
export type KeyRequest = Pick<
  IncomingFile,
  'tenantId' | 'sessionId' | 'sizeBytes' | 'bodyBytes' | 'maxBytes' | 'terms' | 'idempotency'
>;

/**
 * The intent to write, committed before the first byte (W3): out of the process's pool where one is at hand, else by a round trip. Refuses what is known
 * to be refused; a repeated request gets what the first was answered.
 */
export async function reserveKey(
  deps: IntakeDeps,
  incoming: KeyRequest,
): Promise<ReservedKey | ({ outcome: 'replay' } & KeptAnswer)> {
  refuseBySession(incoming);
  const { sizeBytes, bodyBytes, maxBytes } = incoming;
  const reserveBytes = sizeBytes ?? Math.min(maxBytes, bodyBytes ?? maxBytes);
  return takePooled(deps, incoming, reserveBytes) ?? reserveOne(deps, incoming, reserveBytes);
}

function refuseBySession({ terms }: KeyRequest): void {
  if (terms === undefined || terms.sessionStatus === 'active') return;
  throw reservationFault(terms.sessionStatus === null ? 'session-not-found' : 'session-ended');
}

function takePooled({ keyPools }: IntakeDeps, incoming: KeyRequest, reserveBytes: number): ReservedKey | undefined {
  const { tenantId, terms, idempotency } = incoming;
  // An idempotency key has to be open before the body is read, which takes the commit that a pool saves.
  if (terms === undefined || idempotency !== undefined) return undefined;
  const taken = keyPools?.take({ tenantId, reserveBytes, freeBytes: terms.freeBytes });
  if (taken) recordReservation('pool');
  return taken && { outcome: 'reserved', tenantId, ...taken, urlGeneration: terms.urlGeneration, idempotency };
}

async function reserveOne(deps: IntakeDeps, incoming: KeyRequest, reserveBytes: number) {
  const { tenantId, sessionId } = incoming;
  const blobId = randomUUID();
  const key = createBlobKey(tenantId, randomBytes(16));
  const idempotency = pickKey(incoming.idempotency);
  const ask = (keepsPools: boolean) =>
    reserveUpload(deps.db, {
      ...{ tenantId, sessionId, blobId, key, idempotency, reserveBytes, keepsPools },
      storeId: deps.blobs.id,
      holder: deps.holder,
    });
  const reserved = { tenantId, blobId, key, idempotency };
  const reservation = await askWithRoom(deps, tenantId, ask).catch(async (error) => {
    await giveUpKey(deps, reserved);
    throw error;
  });
  if (reservation.outcome === 'replay') return reservation;
  if (reservation.outcome !== 'reserved') throw reservationFault(reservation.outcome);
  recordReservation('commit');
  return { ...reservation, ...reserved };
}

/** Gives back the unused keys of this process before it ends keys under which another upload may be writing. */
async function askWithRoom(
  { keyPools }: IntakeDeps,
  tenantId: string,
  ask: (keepsPools: boolean) => Promise<ReservationOutcome>,
): Promise<ReservationOutcome> {
  const hasPool = keyPools?.holdsAny(tenantId) ?? false;
  const reservation = await ask(hasPool);
  const isRefused = reservation.outcome === 'quota-exceeded' || reservation.outcome === 'quota-held';
  if (!isRefused || !hasPool) return reservation;
  await keyPools?.giveBack(tenantId);
  return ask(false);
}

const pickKey = (idempotency: UploadIdempotency | undefined): IdempotencyKey | undefined =>
  idempotency && {
    route: idempotency.route,
    sessionId: idempotency.sessionId,
    key: idempotency.key,
    principal: idempotency.principal,
    holder: idempotency.holder,
    ticket: idempotency.ticket,
  };

/** Ends an upload that was not recorded: its bytes go, and what it reserved. No other upload ever gets its key. */
export async function giveUpKey(
  deps: IntakeDeps,
  reserved: Omit<ReservedKey, 'outcome' | 'urlGeneration'>,
): Promise<void> {
  const { tenantId, blobId, key, idempotency } = reserved;
  // Whether the record was committed is for the database to say: its answer may have been lost on the way.
  const abandon = async () => {
    if (!(await abandonUpload(deps.db, { tenantId, blobId, idempotency }))) return;
    await deps.blobs.delete(key);
    await settleAbandonedBlob(deps.db, { tenantId, id: blobId });
  };
  await abandon().catch((error) => {
    // The row stays, and the sweep removes what it owns; the idempotency key must not wait for that.
    if (isFault(error, 'DATABASE_UNAVAILABLE'))
      void untilAnswered(abandon, createTimeLimit(ABANDON_WITHIN_MS)).catch(() => {});
  });
}
