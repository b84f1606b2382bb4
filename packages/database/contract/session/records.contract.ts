import { randomUUID } from 'node:crypto';
import { sessionSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { isUniqueViolation } from '../../src/connection/database-fault.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { readAllAgents } from '../../src/session/agent-reader.ts';
import { insertAgent, removeAgent, setAgentStatus } from '../../src/session/agent-writer.ts';
import { readParticipant, readSession } from '../../src/session/session-reader.ts';
import { endSession, insertParticipant, upsertUser } from '../../src/session/session-writer.ts';
import { hasProbe, saveProbe } from '../../src/tenancy/profile-probe.ts';
import { createAgent, createPlace, createTenant, target } from '../__fixtures__/database-fixtures.ts';
import { passMillisecond } from '../__fixtures__/pass-millisecond.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

/** Sessions, agents, participants, probes. */
export function describeRecords(suite: DatabaseSuite): void {
  describe('sessions', () => describeSessions(suite));
  describe('agents', () => describeAgents(suite));
  describe('probes', () => describeProbes(suite));
}

function describeSessions({ useDb }: DatabaseSuite): void {
  it('are described with their present agents, as the contract has them', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const removed = await createAgent(db, place);
    const session = await db.asTenant(place.tenantId, async (tx) => {
      await removeAgent(tx, place.sessionId, removed);
      return readSession(tx, place.sessionId);
    });
    expect(sessionSchema.parse(session)).toEqual(session);
    expect(session?.agents).toHaveLength(1);
    expect(session).toMatchObject({ status: 'active', replayPolicy: { originals: 'none' }, schemaVersion: 1 });
  });

  it('end once', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    const end = () => db.asTenant(tenantId, (tx) => endSession(tx, sessionId));
    expect([await end(), await end()]).toEqual([true, false]);
    expect(await db.asTenant(tenantId, (tx) => readSession(tx, sessionId))).toMatchObject({ status: 'ended' });
  });

  it('are not seen by another tenant [S1 S29]', async () => {
    const { sessionId } = await createPlace(useDb());
    const other = await createTenant(useDb());
    expect(await useDb().asTenant(other, (tx) => readSession(tx, sessionId))).toBeUndefined();
  });

  it('know a user by one id, and keep the rights that a participant has', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    await db.asTenant(tenantId, async (tx) => {
      const userId = await upsertUser(tx, { tenantId, externalUserId: 'user-1' });
      expect(await upsertUser(tx, { tenantId, externalUserId: 'user-1' })).toBe(userId);
      expect(await readParticipant(tx, sessionId, userId)).toBeUndefined();
      expect(await insertParticipant(tx, { tenantId, sessionId, userId, rights: ['events:read'] })).toBe(true);
      expect(await insertParticipant(tx, { tenantId, sessionId, userId, rights: ['messages:send'] })).toBe(false);
      expect(await readParticipant(tx, sessionId, userId)).toEqual({ rights: ['events:read'], tokenGeneration: 1 });
    });
  });
}

function describeAgents({ useDb }: DatabaseSuite): void {
  it('have a name of their own in a session, free again when they leave', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    const add = () =>
      db.asTenant(tenantId, (tx) =>
        insertAgent(tx, {
          tenantId,
          sessionId,
          id: randomUUID(),
          name: 'lead',
          role: 'lead',
          target,
          createdAt: new Date(),
        }),
      );
    const first = await add();
    expect(first).toMatchObject({ name: 'lead', status: 'idle', target });
    const refused = await add().catch((error: unknown) => error);
    expect(isUniqueViolation(refused, 'agent_name')).toBe(true);
    const rows = await db.asTenant(tenantId, (tx) => readAllAgents(tx, sessionId));
    const lead = rows.find(({ name }) => name === 'lead');
    await db.asTenant(tenantId, (tx) => removeAgent(tx, sessionId, lead?.id ?? ''));
    expect(await add()).toMatchObject({ name: 'lead' });
  });

  it('are removed once, and then known only as removed', async () => {
    const db = useDb();
    const { tenantId, sessionId, agentId } = await createPlace(db);
    const readPresent = async () =>
      (await readNamed(db, { tenantId, sessionId, agentIds: [agentId, randomUUID()], attachmentIds: [] }))?.agents;
    await db.asTenant(tenantId, (tx) => setAgentStatus(tx, agentId, 'busy'));
    expect(await readPresent()).toMatchObject([{ id: agentId, status: 'busy' }]);
    await db.asTenant(tenantId, async (tx) => {
      expect(await removeAgent(tx, randomUUID(), agentId)).toBe(false);
      expect(await removeAgent(tx, sessionId, agentId)).toBe(true);
      expect(await removeAgent(tx, sessionId, agentId)).toBe(false);
      expect(await readAllAgents(tx, sessionId)).toHaveLength(1);
    });
    expect(await readPresent()).toEqual([]);
  });
}

function describeProbes({ useDb }: DatabaseSuite): void {
  it('are kept per program version and read by every tenant', async () => {
    const db = useDb();
    const profile = `profile-${randomUUID()}`;
    const declared = { image: true, audio: false, embeddedContext: true };
    expect(await hasProbe(db, profile, '1.0')).toBe(false);
    await saveProbe(db, { profile, programVersion: '1.0', declared: { ...declared, image: false } });
    await saveProbe(db, { profile, programVersion: '1.0', declared });
    expect(await hasProbe(db, profile, '1.0')).toBe(true);
    expect(await hasProbe(db, profile, '2.0')).toBe(false);
    // The newest one is known by its time.
    await passMillisecond();
    await saveProbe(db, { profile, programVersion: '2.0', declared: { ...declared, audio: true } });
    const place = await createPlace(db);
    const agentId = await createAgent(db, place, { ...target, profile });
    const named = await readNamed(db, { ...place, agentIds: [agentId], attachmentIds: [] });
    expect(Object.fromEntries(named?.probes ?? [])).toEqual({ [profile]: { ...declared, audio: true } });
  });
}
