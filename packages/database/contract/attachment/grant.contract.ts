import { randomUUID } from 'node:crypto';
import { grantSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { listAttachments } from '../../src/attachment/attachment-reader.ts';
import { describeGrant, isGranted, readGrantedAttachments, readPermitted } from '../../src/attachment/grant-reader.ts';
import { insertGrant, type NewGrant, revokeGrant } from '../../src/attachment/grant-writer.ts';
import type { Database } from '../../src/database.ts';
import { accessGrant } from '../../src/schema.ts';
import { findAgent } from '../../src/session/agent-reader.ts';
import { removeAgent } from '../../src/session/agent-writer.ts';
import {
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  createSession,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

type Fixture = Place & { attachmentId: string };

async function createFixture(db: Database): Promise<Fixture> {
  const place = await createPlace(db);
  const { attachmentId } = await createAttachment(db, place);
  return { ...place, attachmentId };
}

const grant = (db: Database, fixture: Fixture, given: Partial<NewGrant> = {}) =>
  db.asTenant(fixture.tenantId, (tx) =>
    insertGrant(tx, { ...fixture, id: randomUUID(), rights: ['read'], expiresAt: undefined, ...given }),
  );

/** Every way in which an agent's right to an attachment is asked for. */
async function isReadable(db: Database, { tenantId, sessionId, agentId, attachmentId }: Fixture): Promise<boolean[]> {
  const permitted = await readPermitted(db, { tenantId, sessionId, agentId }, [attachmentId]);
  const read = await db.asTenant(tenantId, async (tx) => [
    await isGranted(tx, agentId, attachmentId),
    (await readGrantedAttachments(tx, agentId)).includes(attachmentId),
    (await listAttachments(tx, { sessionId, grantedTo: agentId, limit: 9 })).some(({ id }) => id === attachmentId),
  ]);
  return [...read, permitted.has(attachmentId)];
}

const everyWay = (answer: boolean) => [answer, answer, answer, answer];

/** Grants that are given and revoked manually. */
export function describeGrants(suite: DatabaseSuite): void {
  describeRevoking(suite);
  describeBounds(suite);
}

function describeRevoking({ useDb }: DatabaseSuite): void {
  it('hold for one agent, until they are revoked, once [SR-28 BX-09]', async () => {
    const db = useDb();
    const fixture = await createFixture(db);
    const other = { ...fixture, agentId: await createAgent(db, fixture) };
    expect(await isReadable(db, fixture)).toEqual(everyWay(false));
    const row = await grant(db, fixture);
    expect(await isReadable(db, fixture)).toEqual(everyWay(true));
    expect(await isReadable(db, other)).toEqual(everyWay(false));
    const revoke = () => db.asTenant(fixture.tenantId, (tx) => revokeGrant(tx, fixture.sessionId, row.id));
    expect(await revoke()).toMatchObject({ id: row.id, attachmentId: fixture.attachmentId, agentId: fixture.agentId });
    expect(await revoke()).toBeUndefined();
    expect(await isReadable(db, fixture)).toEqual(everyWay(false));
  });

  it('of a message are revoked like others, and what one gave another may still give [SR-28 BX-09]', async () => {
    const db = useDb();
    const fixture = await createFixture(db);
    await createDelivery(db, fixture, [fixture.attachmentId]);
    const added = await grant(db, fixture);
    const rows = await db.asTenant(fixture.tenantId, (tx) => tx.select().from(accessGrant));
    const named = rows.find(({ id }) => id !== added.id);
    await db.asTenant(fixture.tenantId, (tx) => revokeGrant(tx, fixture.sessionId, String(named?.id)));
    expect(await isReadable(db, fixture)).toEqual(everyWay(true));
    await db.asTenant(fixture.tenantId, (tx) => revokeGrant(tx, fixture.sessionId, added.id));
    expect(await isReadable(db, fixture)).toEqual(everyWay(false));
  });
}

function describeBounds({ useDb }: DatabaseSuite): void {
  it('end with their time, and are described as the contract has it [BX-09]', async () => {
    const db = useDb();
    const fixture = await createFixture(db);
    await grant(db, fixture, { expiresAt: new Date(Date.now() - 1_000) });
    expect(await isReadable(db, fixture)).toEqual(everyWay(false));
    const expiresAt = new Date(Date.now() + 60_000);
    const row = await grant(db, fixture, { expiresAt });
    expect(await isReadable(db, fixture)).toEqual(everyWay(true));
    const described = describeGrant(row);
    expect(grantSchema.parse(described)).toEqual(described);
    expect(described.expiresAt).toBe(expiresAt.toISOString());
    expect(describeGrant({ ...row, expiresAt: null })).not.toHaveProperty('expiresAt');
  });

  it('are revoked in their session and by their tenant alone [A1 A2 S29]', async () => {
    const db = useDb();
    const fixture = await createFixture(db);
    const { id } = await grant(db, fixture);
    const stranger = await createPlace(db);
    const elsewhere = await createSession(db, fixture.tenantId);
    const revoke = (tenantId: string, sessionId: string) =>
      db.asTenant(tenantId, (tx) => revokeGrant(tx, sessionId, id));
    expect(await revoke(fixture.tenantId, elsewhere)).toBeUndefined();
    expect(await revoke(stranger.tenantId, fixture.sessionId)).toBeUndefined();
    expect(await isReadable(db, fixture)).toEqual(everyWay(true));
  });

  it('are given to an agent that is in the session now: others are not found', async () => {
    const db = useDb();
    const { tenantId, sessionId, agentId } = await createPlace(db);
    const elsewhere = await createSession(db, tenantId);
    const find = (place: string) => db.asTenant(tenantId, (tx) => findAgent(tx, place, agentId));
    expect((await find(sessionId))?.id).toBe(agentId);
    expect(await find(elsewhere)).toBeUndefined();
    await db.asTenant(tenantId, (tx) => removeAgent(tx, sessionId, agentId));
    expect(await find(sessionId)).toBeUndefined();
  });
}
