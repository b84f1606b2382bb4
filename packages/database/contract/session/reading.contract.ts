import { randomUUID } from 'node:crypto';
import { idFromUuid, type Session, sessionSchema, uuidFromId } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { readDeliveriesOfMessage } from '../../src/delivery/delivery-reader.ts';
import { findMessage } from '../../src/message/message-reader.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { listSessions, type SessionQuery } from '../../src/session/session-reader.ts';
import { endSession, insertSession } from '../../src/session/session-writer.ts';
import { createAgent, createPlace, createTenant, newMessage } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const settings = { replayPolicy: { originals: 'none' }, conversions: 'allow', metadata: {} } as const;

/** Sessions of one tenant, each two of them of one time; answers their public ids, newest first. */
async function fill(db: Database, tenantId: string, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ tenantId, id: randomUUID(), externalId: `case ${index % 3}`, ...settings },
    createdAt: new Date(Date.UTC(2026, 0, 1) + 1000 * Math.floor(index / 2)),
  }));
  await db.asTenant(tenantId, async (tx) => {
    for (const row of rows) await insertSession(tx, row);
  });
  const newestFirst = rows.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? 1 : -1));
  return newestFirst.map(({ id }) => idFromUuid('session', id));
}

async function listAll(
  db: Database,
  tenantId: string,
  query: Omit<SessionQuery, 'limit' | 'after'>,
): Promise<Session[]> {
  const all: Session[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && { createdAt: new Date(last.createdAt), id: uuidFromId(last.id) };
    const page = await db.readAsTenant(tenantId, (tx) => listSessions(tx, { ...query, after, limit: 3 }));
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Lists that let a platform find objects whose ids it lost. */
export function describeReading({ useDb }: DatabaseSuite): void {
  it('lists the sessions of a tenant by pages, newest first, each once, and no other tenant’s [S29]', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    await fill(db, other, 2);
    const expected = await fill(db, tenantId, 11);
    const listed = await listAll(db, tenantId, {});
    expect(listed.map(({ id }) => id)).toEqual(expected);
    for (const session of listed) expect(sessionSchema.strict().parse(session)).toEqual(session);
  });

  it('lists those of a status and of an id of the platform, with the agents that they have', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId, agentId } = place;
    const second = await createAgent(db, place);
    const filled = await fill(db, tenantId, 6);
    const [all, ofCase] = [await listAll(db, tenantId, {}), await listAll(db, tenantId, { externalId: 'case 1' })];
    expect(all).toHaveLength(7);
    expect(ofCase.map(({ externalId }) => externalId)).toEqual(['case 1', 'case 1']);
    const own = all.find(({ id }) => id === idFromUuid('session', sessionId));
    const agents = [agentId, second].map((id) => idFromUuid('agent', id));
    expect(own?.agents.map(({ id }) => id).toSorted()).toEqual(agents.toSorted());
    await db.asTenant(tenantId, (tx) => endSession(tx, sessionId));
    const idsOf = async (query: Omit<SessionQuery, 'limit' | 'after'>) =>
      (await listAll(db, tenantId, query)).map(({ id }) => id);
    expect(await idsOf({ status: 'ended' })).toEqual([idFromUuid('session', sessionId)]);
    expect(await idsOf({ status: 'active' })).toEqual(filled);
    expect(await idsOf({ status: 'ended', externalId: 'case 1' })).toEqual([]);
  });

  it('finds a message with its deliveries by its id, and no other tenant’s [S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const message = newMessage(place);
    await acceptMessage(db, message);
    const find = (tenantId: string) => db.readAsTenant(tenantId, (tx) => findMessage(tx, message.messageId));
    const found = await find(place.tenantId);
    expect(found).toMatchObject({ id: message.messageId, sessionId: place.sessionId, text: message.text });
    const deliveries = await db.readAsTenant(place.tenantId, (tx) => readDeliveriesOfMessage(tx, message.messageId));
    expect(deliveries.map(({ id }) => id)).toEqual(message.deliveries.map(({ id }) => id));
    expect(await find(await createTenant(db))).toBeUndefined();
    const none = await db.readAsTenant(place.tenantId, (tx) => findMessage(tx, randomUUID()));
    expect(none).toBeUndefined();
  });
}
