import { randomUUID } from 'node:crypto';
import { type SessionEvent, sessionEventSchema } from '@attache/contracts';
import { withSpan } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { type Inspection, settleInspection } from '../../src/attachment/attachment-writer.ts';
import type { Database } from '../../src/database.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { appendEvents, type NewEvent, toEventRows } from '../../src/session/append-events.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import {
  createAttachment,
  createDelivery,
  createPlace,
  createTenant,
  newMessage,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { refusalOf } from '../connection/refusals.contract.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const event: NewEvent = { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} };
const WRITERS = 30;

function readAll(db: Database, place: Place): Promise<SessionEvent[]> {
  const { tenantId, sessionId } = place;
  return readEvents(db, { tenantId, sessionId, afterSeq: 0, limit: 1000 });
}

const append = (db: Database, place: Place, events: NewEvent[] = [event]) =>
  db.asTenant(place.tenantId, (tx) => appendEvents(tx, place.sessionId, events));

/** Seq without gaps, in the order of the commits. */
export function describeSessionLog(suite: DatabaseSuite): void {
  const { useDb } = suite;
  describeAppended(suite);

  it('numbers concurrent appends 1 to n without a gap, also where some roll back', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const rollBack = () =>
      db.asTenant(place.tenantId, async (tx) => {
        await appendEvents(tx, place.sessionId, [event]);
        throw new Error('rolled back');
      });
    const appends = Array.from({ length: WRITERS }, (_, index) =>
      index % 6 === 0 ? rollBack().catch(() => undefined) : append(db, place),
    );
    const answered = (await Promise.all(appends)).filter((seq) => seq !== undefined);
    expect(answered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect((await readAll(db, place)).map(({ seq }) => seq)).toEqual(answered.toSorted((a, b) => a - b));
  });

  it('never shows a seq before all below it: seq order is commit order', async () => {
    const db = useDb();
    const place = await createPlace(db);
    let isDone = false;
    const appends = Promise.all(Array.from({ length: WRITERS }, () => append(db, place))).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const seen = (await readAll(db, place)).map(({ seq }) => seq);
      expect(seen).toEqual(seen.map((_, index) => index + 1));
    }
    expect(await appends).toHaveLength(WRITERS);
  });

  it('keeps the order of the events of one append, and answers the last seq', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const kinds = ['session.created', 'session.ended'] as const;
    const actor = { type: 'service', id: 'ingest' } as const;
    const last = await append(db, place, [
      { kind: 'session.created', actor, data: { agentIds: [] } },
      { kind: 'session.ended', actor, data: {} },
    ]);
    expect(last).toBe(2);
    expect((await readAll(db, place)).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('reads events after a seq, oldest first, as the contract has them', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await append(db, place, [event, event, event, event]);
    const { tenantId, sessionId } = place;
    const page = await readEvents(db, { tenantId, sessionId, afterSeq: 1, limit: 2 });
    expect(page.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(page.map((read) => sessionEventSchema.parse(read))).toEqual(page);
    expect(page[0]).toMatchObject({ kind: 'session.ended', actor: event.actor, schemaVersion: 1, data: {} });
  });

  it('gives an event the trace of the span that appends it', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const traceId = await withSpan({ name: 'append log', parent: 'root' }, async (span) => {
      await append(db, place);
      return span.spanContext().traceId;
    });
    await append(db, place, [{ ...event, traceId: 'a'.repeat(32) }]);
    expect((await readAll(db, place)).map((read) => read.traceId)).toEqual([traceId, 'a'.repeat(32)]);
  });

  it('refuses a session of another tenant, and one that is not there [S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const tenantId = await createTenant(db);
    expect(await refusalOf(append(db, { ...place, tenantId }))).toBe('P0002');
    expect(await readAll(db, place)).toEqual([]);
  });
}

/** Followers are fed with what a commit has appended, where its answer says it. */
function describeAppended({ useDb, takeAppended, takeRung }: DatabaseSuite): void {
  it('tells what an upload and a message have appended, as its readers have it, in place of the doorbell', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    takeRung();
    takeAppended();
    const { attachmentId } = await createAttachment(db, place);
    await createDelivery(db, place, [attachmentId]);
    const told = takeAppended();
    expect(told.map((one) => one.live.events.map(({ kind, seq }) => `${seq} ${kind}`))).toEqual([
      ['1 attachment.added'],
      ['2 message.accepted'],
    ]);
    expect(told.flatMap(({ live }) => live.events)).toEqual(await readAll(db, place));
    expect(told.map((one) => ({ tenantId: one.live.tenantId, sessionId: one.sessionId }))).toEqual([
      { tenantId, sessionId },
      { tenantId, sessionId },
    ]);
    expect(takeRung().filter((doorbell) => doorbell.startsWith('log:'))).toEqual([]);
  });

  it('tells what the end of an inspection has appended, and a process of the release before no more than it knows', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const end = async () => {
      const { attachmentId } = await createAttachment(db, place);
      const inspection: Inspection = { status: 'ready', mimeType: 'text/plain', kind: 'text', facts: {}, warnings: [] };
      return { ...place, attachmentId, eventId: randomUUID(), inspection, events: [event] };
    };
    const ends: Awaited<ReturnType<typeof end>>[] = [];
    // A time that is cut off where the log rounds it differs in half of the ends.
    while (ends.length < 10) ends.push(await end());
    takeAppended();
    takeRung();
    for (const settled of ends) expect(await settleInspection(db, settled)).toBe(true);
    const told = takeAppended();
    expect(told.flatMap(({ live }) => live.events)).toEqual((await readAll(db, place)).slice(ends.length));
    expect(takeRung().filter((doorbell) => doorbell.startsWith('log:'))).toEqual([]);
    for (const settled of ends) expect(await settleInspection(db, settled)).toBe(false);
    expect(takeAppended()).toEqual([]);
    const { events, ...former } = await end();
    const parameters = JSON.stringify({ ...former, consumer: 'projector', events: toEventRows(events) });
    expect(await db.call(sql`select attache_settle_inspection(${parameters}::jsonb)`)).toBe('settled');
  });

  it('tells nothing of what was refused, and rings where only the log knows what came into it', async () => {
    const db = useDb();
    const place = await createPlace(db);
    takeAppended();
    const gone = await acceptMessage(db, newMessage(place, [randomUUID()]));
    expect({ ...gone, told: takeAppended() }).toEqual({ outcome: 'attachment-gone', told: [] });
    takeRung();
    await append(db, place);
    expect({ rung: takeRung(), told: takeAppended() }).toEqual({ rung: [`log:${place.sessionId}`], told: [] });
  });
}
