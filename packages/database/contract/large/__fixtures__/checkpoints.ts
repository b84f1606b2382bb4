import { randomUUID } from 'node:crypto';
import { newReservation, sha256 } from '../../__fixtures__/database-fixtures.ts';
import { agentId, idOf, type ListRows, place, sessionId, tenantId } from './large-place.ts';

/** Keeps, reads and forgets the checkpoints of one agent, in a database with those of 10,000 other agents. */
export const listCheckpoints: ListRows = (db, api) => {
  const keep = async () => {
    const { blobId, ...rest } = newReservation(place, { reserveBytes: 9 });
    await api.reserveUpload(db, { blobId, ...rest });
    const claim = await api.claimSession(db, {
      replicaId: 'watched',
      incarnation: idOf('watched'),
      tenantId,
      sessionId,
    });
    const checkpoint = {
      ...{ ...place, deliveryId: randomUUID(), targetVersion: 1, memoryVersion: 0, reference: 'r', blobId, sha256 },
      ...{ packs: [blobId], files: [], sizeBytes: 1, rawBytes: 1, storedBytes: 1, events: [] },
    };
    await api.keepCheckpoint(db, checkpoint, { incarnation: idOf('watched'), epoch: claim?.epoch ?? 0 });
  };
  return [
    ['keeps a checkpoint, and lets the oldest go', 500, keep],
    ['reads a checkpoint', 60, () => api.readCheckpoint(db, { tenantId, agentId })],
    ['forgets the checkpoints of an agent', 200, () => api.forgetCheckpoints(db, tenantId, agentId)],
  ];
};
