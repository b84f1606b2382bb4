import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { heldNothing } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { recordUpload, reserveUpload } from '../../src/attachment/upload-writer.ts';
import type { Database, Tx } from '../../src/database.ts';
import { findDelivery } from '../../src/delivery/delivery-reader.ts';
import { markWriting } from '../../src/delivery/mark-writing.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { findAgent, holdTargetVersion } from '../../src/session/agent-reader.ts';
import { insertAgent, removeAgent, setAgentTarget } from '../../src/session/agent-writer.ts';
import { appendAsCaller, appendEvents, type NewEvent } from '../../src/session/append-events.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { endSession } from '../../src/session/session-writer.ts';
import {
  createPlace,
  newMessage,
  newRecord,
  newReservation,
  type Place,
  target,
} from '../__fixtures__/database-fixtures.ts';
import { takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const actor = { type: 'service', id: 'ingest' } as const;
const other = { ...target, model: 'model-2' };

const ended: NewEvent = { kind: 'session.ended', actor, data: {} };
const added = ({ agentId }: Place): NewEvent => ({
  kind: 'agent.added',
  actor,
  data: { agentId: idFromUuid('agent', agentId), name: 'late', role: 'member', target },
});
const stopped = ({ agentId }: Place): NewEvent => ({
  kind: 'agent.stopped',
  actor,
  data: { agentId: idFromUuid('agent', agentId), reason: 'session-ended' },
});

const end = async (tx: Tx, { sessionId }: Place) => {
  await endSession(tx, sessionId);
  await appendEvents(tx, sessionId, [ended]);
};

const addAgent = (tx: Tx, { tenantId, sessionId }: Place) =>
  insertAgent(tx, {
    ...{ tenantId, sessionId, id: randomUUID(), name: randomUUID(), role: 'member', target },
    createdAt: new Date(),
  });

/** Lists the kinds of events that follow `session.ended`, in the order of the log. */
async function kindsAfterEnd(db: Database, place: Place): Promise<string[]> {
  const kinds = (await readEvents(db, { ...place, afterSeq: 0, limit: 200 })).map(({ kind }) => kind);
  return kinds.slice(kinds.indexOf('session.ended') + 1);
}

const retarget = (tx: Tx, { sessionId, agentId }: Place) =>
  setAgentTarget(tx, { sessionId, agentId, version: 1 }, other);

/** Requests that arrive while a session ends, an agent leaves it, or an agent gets another target. */
export function describeRaces({ useDb }: DatabaseSuite): void {
  it('refuse what a caller asks of a session that ended, and take what the system has to say', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await db.asTenant(place.tenantId, (tx) => end(tx, place));
    const append = db.asTenant(place.tenantId, (tx) => appendAsCaller(tx, place.sessionId, [added(place)]));
    await expect(append).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await db.asTenant(place.tenantId, (tx) => appendEvents(tx, place.sessionId, [stopped(place)]));
    expect(await kindsAfterEnd(db, place)).toEqual(['agent.stopped']);
  });

  it('leave nothing that a caller asked for behind the end of its session, whoever comes first', async () => {
    const db = useDb();
    for (let round = 0; round < 12; round += 1) {
      const place = await createPlace(db);
      const reservation = newReservation(place);
      await reserveUpload(db, reservation);
      const settled = await Promise.allSettled([
        acceptMessage(db, newMessage(place)),
        recordUpload(db, newRecord(reservation)),
        db.asTenant(place.tenantId, async (tx) => {
          await addAgent(tx, place);
          await appendAsCaller(tx, place.sessionId, [added(place)]);
        }),
        db.asTenant(place.tenantId, (tx) => end(tx, place)),
      ]);
      for (const one of settled)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'SESSION_ENDED' });
      expect(await kindsAfterEnd(db, place)).toEqual([]);
    }
  });

  it('accept no message for an agent that left, or has another target than its plan [DL-51 BX-06]', async () => {
    const db = useDb();
    const [left, changed] = [await createPlace(db), await createPlace(db)];
    await db.asTenant(left.tenantId, (tx) => removeAgent(tx, left.sessionId, left.agentId));
    expect(await acceptMessage(db, newMessage(left))).toEqual({ outcome: 'agent-gone' });
    await db.asTenant(changed.tenantId, (tx) => retarget(tx, changed));
    expect(await acceptMessage(db, newMessage(changed))).toEqual({ outcome: 'target-changed' });
    expect(await db.asTenant(changed.tenantId, (tx) => holdTargetVersion(tx, changed.agentId))).toBe(2);
  });

  it('keep an agent as it is from the look at it to the commit of its message [DL-51]', async () => {
    const db = useDb();
    for (let round = 0; round < 12; round += 1) {
      const place = await createPlace(db);
      const message = newMessage(place);
      const [accepted, isChanged] = await Promise.all([
        acceptMessage(db, message),
        db.asTenant(place.tenantId, async (tx) => {
          const done = await retarget(tx, place);
          // The read of a planner that plans waiting deliveries again: after the agent's row is locked.
          const [delivery] = message.deliveries;
          return { done, seen: delivery && (await findDelivery(tx, delivery.id)) !== undefined };
        }),
      ]);
      expect(isChanged.done).toBe(true);
      // It is refused, or was there to be planned again.
      expect(accepted.outcome).toBe(isChanged.seen ? 'accepted' : 'target-changed');
    }
  });

  it('write nothing to a process that was started for another target than the plan [DL-51 BX-06]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const message = newMessage(place);
    await acceptMessage(db, message);
    const incarnation = randomUUID();
    const claim = await claimSession(db, { ...place, replicaId: incarnation, incarnation });
    const fence = { incarnation, epoch: claim?.epoch ?? 0 };
    const read = async () => {
      const row = await db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, message.deliveries[0]?.id ?? ''));
      if (!row) throw new Error('the delivery is gone');
      return row;
    };
    await takeFact(db, await read(), { kind: 'parts-built', parts: [] });
    await takeFact(db, await read(), { kind: 'claimed', epoch: fence.epoch }, { fence });
    const mark = async (targetVersion: number) =>
      markWriting(db, await read(), { attachmentIds: [], targetVersion, held: heldNothing }, fence);
    expect(await mark(2)).toEqual({ outcome: 'target-changed' });
    expect((await read()).writingAt).toBeNull();
    expect(await mark(1)).toEqual({ outcome: 'marked' });
  });

  it('wait for each other and do not lock each other out: steps, messages and retargets', async () => {
    const db = useDb();
    for (let round = 0; round < 6; round += 1) {
      const place = await createPlace(db);
      const messages = Array.from({ length: 4 }, () => newMessage(place));
      for (const message of messages) await acceptMessage(db, message);
      const rows = await Promise.all(
        messages.map((message) =>
          db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, message.deliveries[0]?.id ?? '')),
        ),
      );
      const steps = rows.flatMap((row) => (row ? takeFact(db, row, { kind: 'parts-built', parts: [] }) : []));
      const changes = db.asTenant(place.tenantId, async (tx) => {
        await tx.execute(
          sql`update delivery set attempts = attempts + 1 where agent_id = ${place.agentId} and status = 'queued'`,
        );
        await retarget(tx, place);
        await appendAsCaller(tx, place.sessionId, [added(place)]);
      });
      const more = [acceptMessage(db, newMessage(place)), acceptMessage(db, newMessage(place))];
      const outcomes = await Promise.allSettled([...steps, changes, ...more]);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
      expect(await db.asTenant(place.tenantId, (tx) => findAgent(tx, place.sessionId, place.agentId))).toBeDefined();
    }
  });
}
