import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { heldNothing, requireDecision } from '@attache/domain';
import type { Fence, Tx } from '../../../src/index.ts';
import { newMessage, newUse, sha256 } from '../../__fixtures__/database-fixtures.ts';
import { plantedFailure } from '../../__fixtures__/take-fact.ts';
import { actor, agentId, idOf, type ListRows, place, sessionId, tenantId } from './large-place.ts';

/** Work on messages: their deliveries to an agent that had 20,000 before, and the results of its turns. */
export const listDeliveries: ListRows = (db, api) => {
  const within = (work: (tx: Tx) => Promise<unknown>) => () => db.asTenant(tenantId, work);
  const attachmentId = idOf('attachment 7');
  const identity = { replicaId: 'watched', incarnation: idOf('watched') };
  const fence: Fence = { incarnation: identity.incarnation, epoch: 0 };
  const own = async () => {
    await db.asWorker((tx) =>
      tx
        .execute(`delete from session_owner where tenant_id = '${tenantId}' and session_id = '${sessionId}'` as never)
        .then(),
    );
    fence.epoch = (await api.claimSession(db, { ...identity, tenantId, sessionId }))?.epoch ?? 0;
  };
  const accept = async () => {
    const message = newMessage(place, [attachmentId]);
    await api.acceptMessage(db, message);
    return message.deliveries[0]?.id ?? '';
  };
  const acceptPrepared = async () => {
    const message = newMessage(place, [attachmentId]);
    const stored = await api.readStoredAttachments(db, tenantId, [attachmentId]);
    const composedOf = stored.map(({ id, blobKey, attachment: { status } }) => ({ id, blobKey, status }));
    const deliveries = message.deliveries.map((delivery) => {
      const ids = { tenantId, sessionId, agentId, messageId: message.messageId, deliveryId: delivery.id };
      const state = { ...ids, attempt: 1, status: 'queued' } as const;
      return { ...delivery, prepare: requireDecision(state, { kind: 'parts-at-hand', parts: [] }) };
    });
    await api.acceptMessage(db, { ...message, deliveries, composedOf });
  };
  const read = async (deliveryId: string) => {
    const row = await db.asTenant(tenantId, (tx) => api.findDelivery(tx, deliveryId));
    if (!row) throw new Error('the delivery is gone');
    return row;
  };
  const take = async (deliveryId: string, fact: Parameters<typeof requireDecision>[1], isFenced = true) =>
    api.applyDecision(
      db,
      requireDecision(api.stateOf(await read(deliveryId)), fact),
      isFenced ? { fence } : { handledEventId: randomUUID() },
    );
  const deliver = async () => {
    await own();
    const deliveryId = await accept();
    await api.readDraft(db, { tenantId, deliveryId });
    await take(deliveryId, { kind: 'parts-built', parts: [] }, false);
    await api.readNextDelivery(db, { tenantId, agentId });
    await api.readNextDelivery(db, { tenantId, agentId, isSteered: true });
    await take(deliveryId, { kind: 'claimed', epoch: fence.epoch });
    await api.markWriting(
      db,
      await read(deliveryId),
      { attachmentIds: [attachmentId], targetVersion: 1, held: heldNothing },
      fence,
    );
    await take(deliveryId, { kind: 'written', epoch: fence.epoch });
    await api.allowForward(db, place, { fence, isFirst: true });
    await api.noteDelivery(db, { tenantId, sessionId, deliveryId, actor, code: 'delivery_stalled' }, fence);
    return deliveryId;
  };
  const fail = async () => {
    const deliveryId = await deliver();
    await take(deliveryId, { kind: 'failed', failure: plantedFailure, isForgotten: true });
    return deliveryId;
  };
  const kind = { row: 'row 7', kind: 'image', programVersion: '1' } as const;
  return [
    ['accepts a message', 300, accept],
    ['accepts a message for which nothing is to be made', 400, acceptPrepared],
    ['and rings its owner with it', 500, () => own().then(acceptPrepared)],
    [
      'reads what a delivery says and names',
      200,
      async () => {
        const deliveryId = await accept();
        await db.asTenant(tenantId, (tx) => api.readDrafts(tx, [deliveryId]));
      },
    ],
    [
      'reads what a message names',
      120,
      () => api.readNamed(db, { ...place, agentIds: [agentId], attachmentIds: [attachmentId] }),
    ],
    ['begins the context of an agent', 100, within((tx) => api.emptyContext(tx, agentId))],
    ['brings a message to an agent, and fails it', 1_500, fail],
    [
      'tries a delivery once more, and cancels it',
      2_000,
      async () => {
        const row = await read(await fail());
        await db.asTenant(tenantId, async (tx) => {
          await api.applyInTransaction(tx, requireDecision(api.stateOf(row), { kind: 'retried', actor }));
          await api.holdTargetVersion(tx, agentId);
          const again = await api.findDelivery(tx, row.id);
          if (again)
            await api.applyInTransaction(tx, requireDecision(api.stateOf(again), { kind: 'cancelled', actor }));
        });
      },
    ],
    [
      'shows a delivery',
      60,
      within(async (tx) => {
        const row = await api.findDelivery(tx, idOf('delivery 777'));
        return row && api.describeDelivery(tx, row);
      }),
    ],
    [
      'tells what a delivery waits for',
      160,
      within(async (tx) => {
        const row = await api.findDelivery(tx, idOf('delivery 778'));
        await api.findProfile(tx, idOf('delivery 778'));
        return row && api.describePresent(tx, { ...row, status: 'prepared' });
      }),
    ],
    [
      'reads what is under way',
      120,
      within(async (tx) => {
        await api.readDeliveriesOfSession(tx, sessionId, ['prepared', 'claimed', 'written']);
        await api.readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared']);
        await api.lockDeliveriesOfAgent(tx, agentId, ['claimed', 'written']);
      }),
    ],
    [
      'parks a session, and lets it continue',
      300,
      async () => {
        await own();
        const event = { kind: 'session.parked', actor, data: { deaths: 3 } } as const;
        await api.parkSession(db, { tenantId, sessionId }, { fence, event });
        await api.unparkSession(db, { tenantId, sessionId });
      },
    ],
    ['reads messages', 60, within((tx) => api.readMessages(tx, sessionId, [idOf('message 77')]))],
    [
      'reads what a transcript shows beside its events',
      120,
      within(async (tx) => {
        const messageIds = [idFromUuid('message', idOf('message 77'))];
        await api.readTextSizes(tx, sessionId, messageIds);
        await api.readTexts(tx, sessionId, messageIds);
        await api.readLoggedAttachments(tx, [idFromUuid('attachment', attachmentId)]);
      }),
    ],
    [
      'reads what an agent was told and said, backwards from an event',
      22_000,
      within(async (tx) => {
        const own = idFromUuid('agent', agentId);
        const stretch = { sessionId, agentId: own, fromSeq: 49_000, beforeSeq: 50_000 };
        await api.readHistoryEvents(tx, stretch);
        await api.readEndEvents(tx, stretch);
        await api.hasHistory(tx, agentId);
        await api.hasAnswered(tx, agentId);
        await api.countHistory(tx, agentId);
        await api.readBroughtTexts(tx, [idFromUuid('message', idOf('message 77'))], { maxBytes: 9, maxCharacters: 9 });
        await api.readBroughtParts(tx, agentId, [idFromUuid('delivery', idOf('delivery 777'))]);
      }),
    ],
    ['reads what an agent may have sent', 40_000, within((tx) => api.readSentDigests(tx, agentId))],
    [
      'keeps what a model refused, and forgets it',
      120,
      within(async (tx) => {
        await api.saveQuarantined(tx, { ...place, targetVersion: 1 }, [
          { wireSha256: sha256, code: 'c', isGroup: false },
        ]);
        await api.endQuarantines(tx, { sessionId, attachmentId });
        await api.endQuarantinesOfAgent(tx, agentId);
      }),
    ],
    [
      'changes the target of an agent',
      120,
      within(async (tx) => {
        const target = { profile: 'p', runtime: 'acp', provider: 'p', model: 'm' } as const;
        const version = (await api.holdTargetVersion(tx, agentId)) ?? 1;
        await api.setAgentTarget(tx, { sessionId, agentId, version }, target);
        await tx.execute(`update agent set target_version = 1 where id = '${agentId}'` as never);
        await api.setAgentStatus(tx, agentId, 'idle');
      }),
    ],
    [
      'keeps what a turn showed, and counts it',
      400,
      within(async (tx) => {
        const turn = { ...kind, tenantId, sessionId, deliveryId: idOf('delivery 9') };
        await api.saveFindings(tx, turn, [{ kind: 'image', finding: 'dropped' }]);
        await api.countFindings(tx, kind);
        await api.insertContradiction(tx, { ...kind, tenantId, note: 'seen' });
        await api.readContradictions(tx);
      }),
    ],
    [
      'ends what another version of a program showed',
      600,
      () => api.endContradictions(db, { tenantId, row: 'row 8', programVersion: '1', actor }),
    ],
    [
      'adds what agents used',
      120,
      within((tx) => api.addUse(tx, { uses: [newUse(place)], today: '2026-01-01' }, () => {})),
    ],
    ['holds a session', 20, within((tx) => api.holdEpoch(tx, sessionId, fence))],
    [
      'rejects an attachment, and takes that back',
      60,
      within(async (tx) => {
        await api.rejectPending(tx, attachmentId, plantedFailure);
        await api.takeRejectionBack(tx, attachmentId, randomUUID());
      }),
    ],
    [
      'records another reading of a text, and pages that cannot be drawn',
      120,
      async () => {
        const read = { mimeType: 'text/plain', kind: 'text' as const, facts: {}, warnings: [] };
        await db.asTenant(tenantId, (tx) => api.recordReading(tx, attachmentId, read));
        await api.notePageGaps(db, { tenantId, attachmentId, gaps: [] });
      },
    ],
    ['forgets earlier attempts of an agent', 60, within((tx) => api.forgetEarlierAttempts(tx, place.agentId))],
    ['reads probes', 30, within((tx) => api.readNewestProbes(tx, ['profile']))],
    [
      'keeps a probe',
      60,
      async () => {
        await api.saveProbe(db, { profile: 'profile', programVersion: '1', declared: {} as never });
        await api.hasProbe(db, 'profile', '1');
      },
    ],
    [
      'settles an inspection',
      120,
      () =>
        api.settleInspection(db, {
          ...{ tenantId, sessionId, attachmentId, eventId: randomUUID(), events: [] },
          inspection: { status: 'ready', mimeType: 'image/png', kind: 'image', facts: {}, warnings: [] },
        }),
    ],
    [
      'appends as the owner of a session',
      300,
      async () => {
        await own();
        const said = api.composeOwnerWrite({ events: [{ kind: 'session.ended', actor, data: {} }] });
        await api.writeAsOwner(db, { session: { tenantId, sessionId }, fence, writes: [said], isRepeated: false });
      },
    ],
  ];
};
