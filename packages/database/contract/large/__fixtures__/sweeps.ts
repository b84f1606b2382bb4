import { randomUUID } from 'node:crypto';
import type { Subject } from '@attache/contracts';
import { DAY_MS, future, idOf, type ListRows, past, tenantId } from './large-place.ts';

const subjects: Subject[] = ['attachment.added'];
const restarted = { replicaId: 'gateway 0', incarnation: randomUUID() };
const condemned = {
  ...{ tenantId: idOf('tenant 1'), limit: 200, now: future, retryableSince: past },
  ...{ reservedBefore: past, condemnedBefore: past, confirmedBefore: past },
};

/** Work that services do by themselves. */
export const listSweeps: ListRows = (db, api) => {
  const confirm = async () => {
    const page = { ...condemned, condemnedBefore: future };
    const { due } = await api.findCollectableBlobs(db, page);
    await api.collectBlobRows(db, { ...page, blobIds: due, isDryRun: true });
  };
  const claim = { subjects, limit: 20, leaseMs: 0, windowPerTenant: 32 };
  return [
    ['lists the ids of tenants', 160, () => api.listTenantIds(db, undefined, 100)],
    [
      'claims a sweep',
      40,
      async () => {
        await api.claimSweep(db, 'watched', 0);
        await api.recordSweep(db, 'watched', 0);
      },
    ],
    // A look at what the catalog says of each table and index, however many rows they have.
    ['counts rows of tables that have grown', 400, () => api.refreshStatistics(db)],
    ['looks for what to collect among 50,000 condemned blobs', 2_500, () => api.findCollectableBlobs(db, condemned)],
    ['takes a page of condemned blobs a step on', 3_600, confirm],
    [
      'condemns what nothing uses',
      60,
      () => api.condemnUnusedBlobs(db, { tenantId, blobIds: [idOf('blob 0')], now: future, retryableSince: past }),
    ],
    [
      'lists blobs that are being removed',
      300,
      () => api.listDoomedBlobs(db, { tenantId: idOf('tenant 2'), storeId: 'files', limit: 200 }),
    ],
    ['closes the rows of removed blobs', 60, () => api.markBlobsRemoved(db, idOf('tenant 2'), [randomUUID()])],
    ['lists tenants with ended reservations', 40, () => api.listTenantsWithEndedReservations(db)],
    ['ends reservations', 40_000, () => api.endDeadReservations(db, idOf('tenant 3'))],
    [
      'lists what ended reservations left',
      400,
      () => api.listUnmeasuredBlobs(db, { tenantId: idOf('tenant 3'), storeId: 'files', agoMs: 0, limit: 200 }),
    ],
    [
      'counts what a reservation left',
      60,
      () => api.recordLeftBytes(db, { tenantId: idOf('tenant 3'), id: idOf('left 1'), key: '', sizeBytes: 1 }),
    ],
    [
      'settles a blob that was never recorded',
      80,
      () => api.settleAbandonedBlob(db, { tenantId: idOf('tenant 3'), id: idOf('left 2') }),
    ],
    ['prunes a batch of messages', 3_600, () => api.pruneOutbox(db, { olderThanMs: DAY_MS, limit: 200 })],
    ['drops a batch of idempotency keys', 1_800, () => api.dropExpiredIdempotencyKeys(db, tenantId, 200)],
    [
      'frees a batch of idempotency keys of dead requests',
      1_800,
      () => api.dropDeadIdempotencyKeys(db, idOf('tenant 1'), { openedBefore: new Date(), limit: 200 }),
    ],
    [
      'prunes a batch of ended sessions',
      3_600,
      () => api.pruneSessions(db, { tenantId: idOf('tenant 4'), before: new Date('2026-02-01'), limit: 200 }),
    ],
    [
      'prunes a batch of the audit log',
      1_800,
      () => api.pruneAudit(db, { tenantId, before: new Date('2026-01-02'), limit: 200 }),
    ],
    ['lists a page of former sessions', 200, () => api.readFormerSessions(db, restarted, { limit: 100 })],
    [
      'looks which sessions a gateway still owns',
      2_500,
      () =>
        api.filterOwnedSessions(
          db,
          { incarnation: idOf('incarnation') },
          Array.from({ length: 500 }, (_, n) => ({
            tenantId: idOf(`tenant ${n % 10}`),
            sessionId: idOf(`session ${n}`),
          })),
        ),
    ],
    [
      'takes and lets go of a session, and starts an agent in it',
      260,
      async () => {
        const session = { tenantId, sessionId: idOf('session 10') };
        const gateway = { replicaId: 'gateway 0', incarnation: idOf('incarnation') };
        const claim = await api.claimSession(db, { ...gateway, ...session });
        await api.findOwner(db, session);
        const fence = { incarnation: gateway.incarnation, epoch: claim?.epoch ?? 0 };
        const agentId = idOf('resting 1');
        await api.admitAgent(db, { ...session, agentId }, fence);
        await db.asTenant(tenantId, (tx) => api.dismissAgent(tx, agentId));
        await api.releaseSession(db, { ...gateway, ...session });
      },
    ],
    [
      'renews a lease',
      60,
      async () => {
        const replica = { replicaId: 'watched', incarnation: idOf('watched'), leaseMs: 60_000 };
        await api.takeReplica(db, replica);
        await api.renewLease(db, { ...replica, state: 'active' });
      },
    ],
    [
      'renews the lease of a gateway',
      80,
      () =>
        api.keepLease(db, {
          ...{ replicaId: 'watched', incarnation: idOf('watched'), state: 'active' },
          ...{ leaseMs: 60_000, aloneMs: 60_000, placement: { room: 1, programs: ['profile'], atLimit: [] } },
        }),
    ],
    [
      'looks for sessions that lost their owner',
      400,
      () => api.readOrphanedSessions(db, { incarnation: idOf('incarnation'), limit: 100 }),
    ],
    ['lists the gateways', 4_000, () => api.listGateways(db)],
    ['asks a gateway to drain', 40, () => api.askToDrain(db, 'watched')],
    [
      'lists where sessions of a tenant are',
      300,
      () => api.listOwnership(db, { tenantId: idOf('tenant 1'), after: undefined, limit: 100 }),
    ],
    ['lists parked sessions', 100, () => api.listParked(db, { tenantId, after: undefined, limit: 100 })],
    [
      'asks for a move and a parked session on',
      160,
      async () => {
        const session = { tenantId, sessionId: idOf('session 20') };
        await api.askToMove(db, session, 'watched');
        await api.unparkSession(db, session);
      },
    ],
    [
      'claims messages for a relay among 20,000 that wait',
      4_000,
      async () => {
        const { messages } = await api.claimForRelay(db, claim);
        await api.returnClaims(db, messages);
      },
    ],
    [
      'publishes, touches and settles a message',
      4_500,
      async () => {
        const {
          messages: [message],
        } = await api.claimForRelay(db, { ...claim, limit: 1 });
        if (!message) return;
        await api.markPublished(db, [message]);
        await api.touchPublished(db, message);
        await api.countAttempt(db, { ...message, before: 0 });
        await api.settleDone(db, [message]);
      },
    ],
    [
      'claims, extends and defers a message',
      2_000,
      async () => {
        const claimed = await api.claimMessages(db, { subjects, limit: 8, leaseMs: 1000 });
        await api.extendClaims(db, claimed, 0);
        for (const { tenantId: of, id } of claimed)
          await api.deferMessage(db, { tenantId: of, id, delayMs: 0, attempts: -1 });
      },
    ],
    ['brings back what a broker lost', 100, () => api.reconcileOutbox(db, { subjects, afterMs: DAY_MS })],
    ['measures the backlog', 4_000, () => api.readBacklog(db, subjects)],
    ['gives claims back at a start', 4_000, () => api.releaseClaims(db)],
    [
      'buries a message',
      300,
      async () => {
        const id = randomUUID();
        await api.insertOutboxMessage(db, {
          id,
          subject: 'session.ended',
          data: { tenantId, sessionId: idOf('session 0') },
        });
        await api.holdMessages(db, [{ tenantId, id }], 1_000);
        await api.buryMessage(
          db,
          { tenantId, id, consumer: 'projector', subject: 'session.ended', data: {} },
          { reason: 'r', attempts: 5 },
        );
      },
    ],
    [
      'lists dead letters of a tenant, of one that has none, and of all',
      300,
      async () => {
        await api.listDeadLetters(db, { tenantId, limit: 50 });
        await api.listDeadLetters(db, { tenantId: idOf('tenant 7'), limit: 50 });
        await api.listDeadLetters(db, { limit: 50 });
      },
    ],
    [
      'lists the last page of dead letters of a tenant',
      300,
      async () => {
        const cursor = Buffer.from(
          JSON.stringify({
            createdAt: '2026-01-01T00:10:00.000Z',
            tenantId,
            id: idOf('dead 1'),
            consumer: 'projector',
          }),
        ).toString('base64url');
        await api.listDeadLetters(db, { tenantId, limit: 50, cursor });
      },
    ],
    ['reads dead letters to replay', 300, () => api.readUnreplayed(db, { limit: 50 })],
    ['counts dead letters', 400, () => api.countDeadLetters(db)],
    [
      'shows and replays a dead letter',
      200,
      async () => {
        const name = { tenantId: idOf('tenant 0'), id: idOf('dead 40000'), consumer: 'projector' as const };
        await api.findDeadLetter(db, name);
        await api.replayDeadLetter(db, name);
      },
    ],
    [
      'marks an event as handled',
      60,
      () => db.asTenant(tenantId, (tx) => api.markHandled(tx, randomUUID(), 'projector')),
    ],
    [
      'keeps and takes back the word of the operator',
      400,
      async () => {
        const said = { row: 'row x', kind: 'image', programVersion: '1', note: 'n' } as const;
        await api.saveContradictionForAll(db, said);
        await api.listContradictionsForAll(db);
        await api.deleteContradictionsForAll(db, said);
        await db.asTenant(tenantId, (tx) => api.deleteContradictions(tx, { row: 'row 9', kind: 'image' }));
      },
    ],
  ];
};
