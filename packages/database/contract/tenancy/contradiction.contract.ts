import type { Finding, FindingCounts } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { runStatement } from '../../src/connection/run-statement.ts';
import {
  type ContradictedKind,
  countFindings,
  listContradictionsForAll,
  readContradictions,
} from '../../src/contradiction/contradiction-reader.ts';
import {
  deleteContradictions,
  deleteContradictionsForAll,
  endContradictions,
  insertContradiction,
  saveContradictionForAll,
  saveFindings,
} from '../../src/contradiction/contradiction-writer.ts';
import type { Database } from '../../src/database.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { listAudit } from '../../src/tenancy/audit-reader.ts';
import {
  createAgent,
  createDelivery,
  createPlace,
  createSession,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const image: ContradictedKind = { row: 'acp one', kind: 'image', programVersion: '1' };
const actor = { type: 'service', id: 'runner-gateway' } as const;
const dropped: Finding = { kind: 'image', finding: 'dropped' };

/** A turn of the place that shows this; answers how much its tenant's turns show by then. */
async function show(
  db: Database,
  place: Place,
  { row, kind, programVersion, settingsSha256 }: ContradictedKind = image,
  findings = [dropped],
) {
  const { tenantId, sessionId } = place;
  const { deliveryId } = await createDelivery(db, place);
  const turn = { tenantId, sessionId, deliveryId, row, programVersion, settingsSha256 };
  const keep = (): Promise<FindingCounts> =>
    db.asTenant(tenantId, async (tx) => {
      await saveFindings(tx, turn, findings);
      return countFindings(tx, { row, kind, programVersion, settingsSha256 });
    });
  return { counts: await keep(), keep };
}

const contradict = (db: Database, { tenantId }: Place, given: Partial<ContradictedKind> = {}) =>
  db.asTenant(tenantId, (tx) => insertContradiction(tx, { tenantId, ...image, ...given, note: 'seen' }));
const read = (db: Database, { tenantId }: Place) => db.readAsTenant(tenantId, readContradictions);

/** Findings on the wire against rows of the catalog. */
export function describeContradictions({ useDb }: DatabaseSuite): void {
  it('counts turns and sessions that show something, of one kind and version, each turn once, and no one else’s [DL-58 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const sessionId = await createSession(db, tenantId);
    const other = { tenantId, sessionId, agentId: await createAgent(db, { tenantId, sessionId }) };
    expect((await show(db, place)).counts).toEqual({ turns: 1, sessions: 1, droppedTurns: 1 });
    const both: Finding[] = [
      { kind: 'image', finding: 'altered' },
      { kind: 'audio', finding: 'dropped' },
    ];
    const { counts, keep } = await show(db, place, image, both);
    expect(counts).toEqual({ turns: 2, sessions: 1, droppedTurns: 1 });
    expect(await keep()).toEqual(counts);
    for (const elsewhere of [{ ...image, row: 'acp two' }, { ...image, programVersion: '2' }, image])
      await show(db, await createPlace(db), elsewhere);
    await show(db, place, { ...image, programVersion: '2' });
    await show(db, place, { ...image, row: 'acp two' });
    await show(db, place, { ...image, settingsSha256: 'other' });
    expect((await show(db, other)).counts).toEqual({ turns: 3, sessions: 2, droppedTurns: 2 });
  });

  it('of two gateways that keep the third and the fourth at once, the later one counts both; one of them contradicts [DL-58]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await show(db, place);
    const { tenantId, sessionId } = place;
    const ids = [await createDelivery(db, place), await createDelivery(db, place)];
    const outcomes = await Promise.all(
      ids.map(({ deliveryId }) =>
        db.asTenant(tenantId, async (tx) => {
          await saveFindings(tx, { tenantId, sessionId, deliveryId, ...image }, [dropped]);
          const { turns } = await countFindings(tx, image);
          return { turns, isNew: turns >= 2 && (await insertContradiction(tx, { tenantId, ...image, note: 'seen' })) };
        }),
      ),
    );
    expect(outcomes.map(({ turns }) => turns).toSorted()).toEqual([2, 3]);
    expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('holds for its tenant, the operator’s word for all; both come with what a message names, without another round trip [DL-58 S29]', async () => {
    const db = useDb();
    const [mine, theirs] = [await createPlace(db), await createPlace(db)];
    expect(await contradict(db, mine)).toBe(true);
    expect(await contradict(db, mine)).toBe(false);
    expect(await contradict(db, mine, { settingsSha256: 'other' })).toBe(true);
    const own = { ...image, note: 'seen', date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), isForAll: false };
    const bound = { ...own, settingsSha256: 'other' };
    expect(await read(db, mine)).toEqual([own, bound]);
    const word = { row: 'acp two', kind: 'image', programVersion: '' } as const;
    await saveContradictionForAll(db, { ...word, note: 'said' });
    const said = await saveContradictionForAll(db, { ...word, note: 'said again' });
    expect(said).toEqual({ ...own, ...word, note: 'said again', isForAll: true });
    expect(await listContradictionsForAll(db)).toEqual([said]);
    const named = async ({ tenantId, sessionId, agentId }: Place) =>
      (await readNamed(db, { tenantId, sessionId, agentIds: [agentId], attachmentIds: [] }))?.contradictions;
    expect(await named(mine)).toEqual([own, bound, said]);
    expect(await named(theirs)).toEqual([said]);
    expect(await deleteContradictionsForAll(db, { ...word, kind: 'audio' })).toEqual([]);
    expect(await deleteContradictionsForAll(db, word)).toEqual([said]);
    expect(await named(theirs)).toEqual([]);
  });

  it('is taken back for one tenant with what its turns showed, and nothing else [DL-58]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    for (const each of [place, other]) {
      await show(db, each, image, [dropped, { kind: 'audio', finding: 'dropped' }]);
      await contradict(db, each);
    }
    await contradict(db, place, { kind: 'audio' });
    const restored = await db.asTenant(place.tenantId, (tx) => deleteContradictions(tx, image));
    expect(restored).toMatchObject({ restored: [{ ...image, isForAll: false }], forgottenCount: 1 });
    expect(await db.asTenant(place.tenantId, (tx) => deleteContradictions(tx, image))).toEqual({
      restored: [],
      forgottenCount: 0,
    });
    expect(await read(db, place)).toMatchObject([{ kind: 'audio' }]);
    expect((await show(db, place)).counts).toMatchObject({ turns: 1 });
    expect((await show(db, place, { ...image, kind: 'audio' })).counts).toMatchObject({ turns: 1 });
    expect((await read(db, other)).map(({ kind }) => kind)).toEqual(['image']);
    expect((await show(db, other)).counts).toMatchObject({ turns: 2 });
  });

  it('ends when another version of the program runs, for the tenant and what was said for all, and that is audited [DL-100]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    for (const each of [place, other]) {
      await show(db, each);
      await contradict(db, each);
    }
    await contradict(db, place, { row: 'acp two' });
    await contradict(db, place, { programVersion: '2', kind: 'audio' });
    await saveContradictionForAll(db, { ...image, note: 'said' });
    const run = (programVersion: string) =>
      endContradictions(db, { tenantId: place.tenantId, row: image.row, programVersion, actor });
    const ended = await run('2');
    expect(ended).toEqual([
      { kind: 'image', programVersion: '1', isForAll: false },
      { kind: 'image', programVersion: '1', isForAll: true },
    ]);
    expect(await run('2')).toEqual([]);
    expect(await read(db, place)).toMatchObject([{ kind: 'audio', programVersion: '2' }, { row: 'acp two' }]);
    expect(await read(db, other)).toMatchObject([image]);
    expect((await show(db, place)).counts).toMatchObject({ turns: 1 });
    const [entry] = await db.readAsTenant(place.tenantId, (tx) => listAudit(tx, { limit: 1 }));
    expect(entry).toMatchObject({
      actor,
      action: 'capability.restored',
      data: { row: image.row, kind: 'image', programVersion: '1', newProgramVersion: '2' },
    });
    const role = await db.asTenant(place.tenantId, (tx) =>
      runStatement<string>(tx, sql`select to_jsonb(current_user)`),
    );
    expect(role).toBe('attache_app');
  });
}
