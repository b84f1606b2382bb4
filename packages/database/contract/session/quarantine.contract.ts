import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { readNextDelivery } from '../../src/delivery/delivery-reader.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { type QuarantinedPart, readSentDigests } from '../../src/quarantine/quarantine-reader.ts';
import { endQuarantines, endQuarantinesOfAgent, saveQuarantined } from '../../src/quarantine/quarantine-writer.ts';
import { emptyContext, removeAgent, setAgentTarget } from '../../src/session/agent-writer.ts';
import { createAgent, createAttachment, createPlace, type Place, target } from '../__fixtures__/database-fixtures.ts';
import { createPrepared } from '../__fixtures__/prepare-delivery.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const digest = (letter: string) => letter.repeat(64);
const partOf = (attachmentId: string, wireSha256: string): QuarantinedPart => ({
  ...{ wireSha256, code: 'image_invalid', isGroup: false },
  attachmentId: idFromUuid('attachment', attachmentId),
});
const save = (db: Database, place: Place, parts: readonly QuarantinedPart[], targetVersion = 1) =>
  db.asTenant(place.tenantId, (tx) => saveQuarantined(tx, { ...place, targetVersion }, parts));
const retarget = (db: Database, place: Place) =>
  db.asTenant(place.tenantId, (tx) => setAgentTarget(tx, { ...place, version: 1 }, { ...target, model: 'other' }));

/** Files that models refused, and pictures that were set aside. */
export function describeQuarantine({ useDb }: DatabaseSuite): void {
  it('comes with the next delivery of the agent, each part once, and with no one else’s [BX-02]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const other = { ...place, agentId: await createAgent(db, place) };
    const { attachmentId } = await createAttachment(db, place);
    const [ours, strange] = [partOf(attachmentId, digest('b')), { wireSha256: digest('a'), code: 'c', isGroup: true }];
    expect(await save(db, place, [ours])).toBe(true);
    expect(await save(db, place, [{ ...ours, code: 'later' }, strange])).toBe(true);
    for (const owner of [place, other]) await createPrepared(db, owner);
    expect((await readNextDelivery(db, place))?.quarantined).toEqual([strange, ours]);
    expect((await readNextDelivery(db, other))?.quarantined).toEqual([]);
  });

  it('comes with what a plan reads, with the digest of the file and the target, where attachments are named [BX-02]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place, { sha256: digest('f') });
    const read = async (attachmentIds: string[]) =>
      (await readNamed(db, { ...place, agentIds: [place.agentId], attachmentIds }))?.refused;
    expect(await read([attachmentId])).toEqual([]);
    // Pages of one document.
    await save(db, place, [partOf(attachmentId, digest('b')), partOf(attachmentId, digest('c'))]);
    const file = { attachmentId: idFromUuid('attachment', attachmentId), sha256: digest('f'), target };
    expect(await read([attachmentId])).toEqual([file]);
    expect(await read([])).toEqual([]);
  });

  it('counts for the target of the agent alone, and is kept for no other [BX-02]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    await save(db, place, [partOf(attachmentId, digest('b'))]);
    await createPrepared(db, place);
    await retarget(db, place);
    const named = { ...place, agentIds: [place.agentId], attachmentIds: [attachmentId] };
    expect((await readNextDelivery(db, place))?.quarantined).toEqual([]);
    expect((await readNamed(db, named))?.refused).toEqual([]);
    // A report from a turn that the process before ended late.
    expect(await save(db, place, [partOf(attachmentId, digest('c'))], 1)).toBe(false);
    expect(await save(db, place, [partOf(attachmentId, digest('c'))], 2)).toBe(true);
    await db.asTenant(place.tenantId, (tx) => removeAgent(tx, place.sessionId, place.agentId));
    expect(await save(db, place, [partOf(attachmentId, digest('d'))], 2)).toBe(false);
  });

  it('ends for an attachment with all agents of its session, or for an agent with all its parts', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const other = { ...place, agentId: await createAgent(db, place) };
    const elsewhere = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const second = await createAttachment(db, place);
    for (const owner of [place, other])
      await save(db, owner, [partOf(attachmentId, digest('b')), partOf(attachmentId, digest('c'))]);
    await save(db, other, [partOf(second.attachmentId, digest('d'))]);
    const end = (tenantId: string) =>
      db.asTenant(tenantId, (tx) => endQuarantines(tx, { sessionId: place.sessionId, attachmentId }));
    expect(await end(elsewhere.tenantId)).toEqual([]);
    const ended = (await end(place.tenantId)).toSorted((a, b) => a.agentId.localeCompare(b.agentId));
    const agents = [place.agentId, other.agentId].toSorted((a, b) => a.localeCompare(b));
    expect(ended).toEqual(agents.map((agentId) => ({ agentId, attachmentId })));
    expect(await end(place.tenantId)).toEqual([]);
    expect(await db.asTenant(place.tenantId, (tx) => endQuarantinesOfAgent(tx, other.agentId))).toEqual([
      { agentId: other.agentId, attachmentId: second.attachmentId },
    ]);
  });

  it('keeps up to where a picture was set aside, which is no refusal: a plan and a DELETE do not count it [BX-33]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place, { sha256: digest('f') });
    const aside = { ...partOf(attachmentId, digest('b')), code: 'too_many_images', occurrences: 1 };
    expect(await save(db, place, [aside])).toBe(true);
    // It was shown again, and that is set aside, too.
    expect(await save(db, place, [{ ...aside, code: 'request_too_large', occurrences: 2 }])).toBe(true);
    await createPrepared(db, place);
    const read = async () => (await readNextDelivery(db, place))?.quarantined;
    expect(await read()).toEqual([{ ...aside, code: 'request_too_large', occurrences: 2 }]);
    const named = { ...place, agentIds: [place.agentId], attachmentIds: [attachmentId] };
    expect((await readNamed(db, named))?.refused).toEqual([]);
    const ids = { sessionId: place.sessionId, attachmentId };
    expect(await db.asTenant(place.tenantId, (tx) => endQuarantines(tx, ids))).toEqual([]);
    expect(await read()).toHaveLength(1);
    expect(await db.asTenant(place.tenantId, (tx) => endQuarantinesOfAgent(tx, place.agentId))).toEqual([]);
    expect(await read()).toEqual([]);
  });

  it('is refused altogether where the model refuses what was set aside, and not the other way round [BX-02 BX-33]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const refused = partOf(attachmentId, digest('b'));
    const aside = { ...refused, code: 'too_many_images', occurrences: 3 };
    for (const part of [aside, refused, aside]) expect(await save(db, place, [part])).toBe(true);
    await createPrepared(db, place);
    expect((await readNextDelivery(db, place))?.quarantined).toEqual([refused]);
  });

  it('counts what was set aside in the conversation that it was set aside in [BX-33]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const refused = partOf(attachmentId, digest('c'));
    const aside = { ...partOf(attachmentId, digest('b')), occurrences: 1 };
    await db.asTenant(place.tenantId, (tx) => emptyContext(tx, place.agentId));
    await save(db, place, [aside, refused]);
    await createPrepared(db, place);
    const read = async () => (await readNextDelivery(db, place))?.quarantined;
    expect(await read()).toEqual([aside, refused]);
    await db.asTenant(place.tenantId, (tx) => emptyContext(tx, place.agentId));
    expect(await read()).toEqual([refused]);
    await save(db, place, [aside]);
    expect(await read()).toEqual([aside, refused]);
  });

  it('knows whose bytes an agent may have sent: of what was granted to it and what was made of that', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [granted, foreign] = [
      await createAttachment(db, place, { sha256: digest('1') }),
      await createAttachment(db, place, { sha256: digest('2') }),
    ];
    await createPrepared(db, place, [granted.attachmentId]);
    const other = { ...place, agentId: await createAgent(db, place) };
    await createPrepared(db, other, [foreign.attachmentId]);
    const read = (agentId: string) => db.asTenant(place.tenantId, (tx) => readSentDigests(tx, agentId));
    expect([...(await read(place.agentId))]).toEqual([[digest('1'), idFromUuid('attachment', granted.attachmentId)]]);
    const { tenantId } = await createPlace(db);
    expect((await db.asTenant(tenantId, (tx) => readSentDigests(tx, place.agentId))).size).toBe(0);
  });
}
