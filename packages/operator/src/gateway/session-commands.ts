import {
  Fault,
  idFromUuid,
  type OperatorInput,
  type OperatorOutput,
  type OwnedSessionView,
  uuidFromId,
} from '@attache/contracts';
import { askToMove, listOwnership, listParked, type OwnershipRow, unparkSession } from '@attache/database';
import { type OperatorDeps, requireTenant } from '../operator-deps.ts';
import { cutPage, DEFAULT_PAGE } from '../page.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sessions of a tenant that a gateway has or had, by their ids; with `isParked` those alone that are parked. */
export async function listSessions(
  { db }: OperatorDeps,
  { tenant, isParked = false, limit = DEFAULT_PAGE, cursor }: OperatorInput<'session.list'>,
): Promise<OperatorOutput<'session.list'>> {
  if (cursor !== undefined && !UUID.test(cursor))
    throw new Fault('INVALID_REQUEST', 'The cursor is not one that was given out. Start again without one.');
  const page = { tenantId: await requireTenant(db, tenant), after: cursor, limit: limit + 1 };
  const { items, last } = cutPage(await (isParked ? listParked(db, page) : listOwnership(db, page)), limit);
  return { items: items.map(toView), nextCursor: last?.sessionId ?? null };
}

/** Asks the gateway that owns a session to let go of it. */
export async function moveSession(
  { db }: OperatorDeps,
  { tenant, sessionId, to }: OperatorInput<'session.move'>,
): Promise<OperatorOutput<'session.move'>> {
  const session = { tenantId: await requireTenant(db, tenant), sessionId: uuidFromId(sessionId) };
  return { outcome: (await askToMove(db, session, to)) ? 'asked' : 'not-owned' };
}

/** Lets a parked session continue. */
export async function unpark(
  { db }: OperatorDeps,
  { tenant, sessionId }: OperatorInput<'session.unpark'>,
): Promise<OperatorOutput<'session.unpark'>> {
  const session = { tenantId: await requireTenant(db, tenant), sessionId: uuidFromId(sessionId) };
  return { outcome: (await unparkSession(db, session)) ? 'unparked' : 'not-parked' };
}

function toView({ sessionId, replicaId, epoch, isOwned, deaths, isParked }: OwnershipRow): OwnedSessionView {
  return {
    sessionId: idFromUuid('session', sessionId),
    state: isParked ? 'parked' : isOwned ? 'owned' : 'released',
    ...(replicaId === undefined ? {} : { gateway: replicaId }),
    ...(epoch === undefined ? {} : { epoch }),
    deaths,
  };
}
