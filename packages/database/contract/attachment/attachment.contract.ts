import { randomUUID } from 'node:crypto';
import { attachmentSchema, type Failure, idFromUuid } from '@attache/contracts';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import {
  type AttachmentQuery,
  findAttachment,
  findVariant,
  listAttachments,
  readAttachments,
} from '../../src/attachment/attachment-reader.ts';
import {
  deleteAttachment,
  type Inspection,
  raiseUrlGeneration,
  settleInspection,
} from '../../src/attachment/attachment-writer.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { blob } from '../../src/schema.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import {
  createAgent,
  createAttachment,
  createDelivery,
  createPlace,
  createSession,
  createTenant,
  createVariant,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { passMillisecond } from '../__fixtures__/pass-millisecond.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const LONGEST_PART = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 4 : Number.POSITIVE_INFINITY;

const failure: Failure = {
  ...{ code: 'attachment_corrupt_image', severity: 'error', retryable: false },
  ...{ userMessage: 'The image cannot be decoded. Upload it again.', diagnostic: 'truncated' },
};

/** Reading, settling and deleting attachments. */
export function describeAttachments(suite: DatabaseSuite): void {
  describeListing(suite);
  describeInspecting(suite);
  describeDeleting(suite);
  describeVariants(suite);
}

async function listNames(db: Database, place: Place, query: Omit<AttachmentQuery, 'sessionId'>): Promise<string[]> {
  const { tenantId, sessionId } = place;
  const found = await db.asTenant(tenantId, (tx) => listAttachments(tx, { sessionId, ...query }));
  return found.map(({ attachment }) => attachment.name);
}

function describeListing({ useDb }: DatabaseSuite): void {
  it('are listed oldest first, page by page, none twice and none left out [AT-08]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    // Two share a time: the id decides between them.
    const times = ['01', '02', '02', '03', '04'].map((second) => `2026-01-02T03:04:${second}.000Z`);
    for (const createdAt of times) await createAttachment(db, place, { createdAt, name: createdAt });
    const seen: string[] = [];
    let after: AttachmentQuery['after'];
    for (let page = 0; page < 3; page += 1) {
      const query = { sessionId: place.sessionId, after, limit: 2 };
      const found = await db.asTenant(place.tenantId, (tx) => listAttachments(tx, query));
      seen.push(...found.map(({ attachment }) => attachment.name));
      const last = found.at(-1);
      after = last && { createdAt: new Date(last.attachment.createdAt), id: last.id };
    }
    expect(seen).toEqual(times);
  });

  it('are found by whom they are granted to now, page by page as all others [SR-28 BX-17]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const made = [
      await createAttachment(db, place),
      await createAttachment(db, place),
      await createAttachment(db, place),
    ];
    const ids = made.map(({ attachmentId }) => attachmentId).toSorted();
    await createAttachment(db, place);
    await createDelivery(db, place, ids);
    const list = async (query: Partial<AttachmentQuery>) => {
      const { tenantId, sessionId, agentId } = place;
      const found = await db.asTenant(tenantId, (tx) =>
        listAttachments(tx, { sessionId, grantedTo: agentId, limit: 9, ...query }),
      );
      return found.map(({ id }) => id);
    };
    expect((await list({})).toSorted()).toEqual(ids);
    expect(await list({ limit: 2 })).toEqual((await list({})).slice(0, 2));
    expect(await list({ kind: 'audio' })).toEqual([]);
    expect(await list({ grantedTo: await createAgent(db, place) })).toEqual([]);
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, ids[0] ?? ''));
    expect((await list({})).toSorted()).toEqual(ids.slice(1));
  });

  it('are found by origin, kind and part of the name, in this session alone [AT-08]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await createAttachment(db, place, { name: 'Cat_1.png' });
    await createAttachment(db, place, { name: '100%.txt', kind: 'text', mimeType: 'text/plain' });
    await createAttachment(db, place, { name: 'made.png', origin: 'tool-output' });
    const elsewhere = { ...place, sessionId: await createSession(db, place.tenantId) };
    await createAttachment(db, elsewhere, { name: 'elsewhere.png' });
    // Attachments of one millisecond come in no promised order.
    const list = async (query: Partial<AttachmentQuery>) =>
      (await listNames(db, place, { limit: 10, ...query })).toSorted();
    expect(await list({})).toEqual(['100%.txt', 'Cat_1.png', 'made.png']);
    expect(await list({ origin: 'tool-output' })).toEqual(['made.png']);
    expect(await list({ kind: 'text' })).toEqual(['100%.txt']);
    expect(await list({ name: 'cat' })).toEqual(['Cat_1.png']);
    expect(await list({ name: '.PNG', kind: 'image' })).toEqual(['Cat_1.png', 'made.png']);
    // A pattern's own characters are taken as they are.
    expect(await list({ name: '%' })).toEqual(['100%.txt']);
    expect(await list({ name: '_' })).toEqual(['Cat_1.png']);
    expect(await list({ name: '\\' })).toEqual([]);
  });

  it('are found by any part of the name, however short, in any case of any script [AT-08]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const names = ["it's a \\ & b|!(*:).png", 'Ärger 😀.PNG', 'ΟΔΟΣ', 'x', 'aXbXc'];
    const elsewhere = { ...place, sessionId: await createSession(db, place.tenantId) };
    for (const name of names) {
      await createAttachment(db, place, { name });
      await createAttachment(db, elsewhere, { name });
      // They are listed in the order of their times.
      await passMillisecond();
    }
    const list = (name: string, query: Partial<AttachmentQuery> = {}) =>
      listNames(db, place, { limit: 10, name, ...query });
    for (const name of names) {
      const letters = Array.from(name);
      for (let begin = 0; begin < letters.length; begin += 1)
        for (let end = begin + 1; end <= Math.min(letters.length, begin + LONGEST_PART); end += 1) {
          const part = letters.slice(begin, end).join('');
          expect(await list(part), part).toContain(name);
          expect(await list(part.toUpperCase()), part).toContain(name);
          expect(await list(part.toLowerCase()), part).toContain(name);
        }
      for (const part of [`${name}z`, `z${name}`]) expect(await list(part), part).toEqual([]);
    }
    expect(await list('')).toEqual(names);
    // All of its parts are in a name, but not in this order.
    expect(await list('xcx')).toEqual([]);
    expect(await list('g', { kind: 'audio' })).toEqual([]);
  });

  it('are found by a name that more have than are looked up by it, page by page [AT-08]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { blobId } = await createAttachment(db, place, { name: 'the first' });
    const { tenantId, sessionId } = place;
    await db.asTenant(tenantId, async (tx) => {
      await tx.execute(sql`insert into attachment (tenant_id, id, session_id, blob_id, mime_type, kind, size_bytes, sha256, origin, created_at)
        select ${tenantId}::uuid, md5(${sessionId} || n)::uuid, ${sessionId}::uuid, ${blobId}::uuid, 'image/png', 'image', 1, 'x', 'upload', now() + n * interval '1 second'
          from generate_series(1, 502) n`);
      await tx.execute(sql`insert into attachment_name (tenant_id, attachment_id, session_id, name, folded_name)
        select ${tenantId}::uuid, md5(${sessionId} || n)::uuid, ${sessionId}::uuid, 'Many ' || n || case when n > 501 then '' else ' most' end,
            'many ' || n || case when n > 501 then '' else ' most' end from generate_series(1, 502) n`);
    });
    for (const [name, count] of [
      ['MANY', 502],
      ['most', 501],
      ['many 4', 111],
      ['first', 1],
    ] as const) {
      const found: string[] = [];
      let after: AttachmentQuery['after'];
      do {
        const page = await db.asTenant(tenantId, (tx) => listAttachments(tx, { sessionId, name, after, limit: 200 }));
        found.push(...page.map(({ attachment }) => attachment.name));
        const last = page.at(-1);
        after = last && { createdAt: new Date(last.attachment.createdAt), id: last.id };
      } while (after);
      expect(found.length, name).toBe(count);
      expect(new Set(found).size).toBe(count);
    }
  });

  it('are found by name in no other tenant, whatever session is named, and outside of any tenant not at all [S29]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    await createAttachment(db, other, { name: 'secret.png' });
    const look = sql`select to_jsonb(attache_find_named(${other.sessionId}::uuid, 'secret', 10))`;
    const inside = (tenantId: string) => db.asTenant(tenantId, (tx) => runStatement<string[]>(tx, look));
    expect(await inside(other.tenantId)).toHaveLength(1);
    expect(await inside(place.tenantId)).toEqual([]);
    const outside = db.asTenant(other.tenantId, async (tx) => {
      await tx.execute(sql`select attache_enter(null)`);
      return runStatement<string[]>(tx, look);
    });
    expect(await outside).toEqual([]);
  });

  it('are read among many ids; another tenant’s and unknown ones are left out [S1 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const own = await createAttachment(db, place);
    const foreign = await createAttachment(db, await createPlace(db));
    const ids = [own.attachmentId, foreign.attachmentId, randomUUID()];
    const found = await db.asTenant(place.tenantId, (tx) => readAttachments(tx, ids));
    expect(found.map(({ id }) => id)).toEqual([own.attachmentId]);
    expect(attachmentSchema.parse(found[0]?.attachment)).toEqual(found[0]?.attachment);
  });
}

function describeInspecting({ useDb }: DatabaseSuite): void {
  const facts = { width: 8, height: 6, hasAlpha: false };
  const actor = { type: 'service', id: 'projector' } as const;
  const settledEvent = { kind: 'session.ended', actor, data: {} } as const;
  const ready = { status: 'ready', mimeType: 'image/webp', kind: 'image', facts, warnings: [] } as const;

  it('are settled once: what the first inspection found stays [W8]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const rejected = { status: 'rejected', mimeType: 'image/png', kind: 'unsupported', failure } as const;
    const settle = (inspection: Inspection, eventId: string) =>
      settleInspection(db, { ...place, attachmentId, eventId, inspection, events: [settledEvent] });
    const eventId = randomUUID();
    expect(await settle({ ...ready, warnings: [] }, eventId)).toBe(true);
    expect(await settle(rejected, eventId)).toBe(false);
    expect(await settle(rejected, randomUUID())).toBe(false);
    const events = await readEvents(db, { ...place, afterSeq: 0, limit: 10 });
    expect(events.filter(({ kind }) => kind === settledEvent.kind)).toHaveLength(1);
    const stored = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.attachment).toMatchObject({ status: 'ready', mimeType: 'image/webp', facts });
    expect(attachmentSchema.parse(stored?.attachment)).toEqual(stored?.attachment);
  });

  it('are rejected with a failure, and stay readable', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const rejected = { status: 'rejected', mimeType: 'image/png', kind: 'image', failure } as const;
    const settled = { ...place, attachmentId, eventId: randomUUID(), inspection: rejected, events: [settledEvent] };
    expect(await settleInspection(db, settled)).toBe(true);
    const stored = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.attachment).toMatchObject({ status: 'rejected', failure });
  });
}

function describeDeleting({ useDb }: DatabaseSuite): void {
  const readState = async (db: Database, tenantId: string, blobId: string) => {
    const [row] = await db.asTenant(tenantId, (tx) => tx.select().from(blob).where(eq(blob.id, blobId)));
    return row?.state;
  };

  it('are gone for every reader after a deletion, which happens once', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId, blobId } = await createAttachment(db, place);
    const remove = () => db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    expect(await remove()).toEqual({ id: attachmentId, sessionId: place.sessionId });
    expect(await remove()).toBeUndefined();
    expect(await db.asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId))).toBeUndefined();
    expect(await listNames(db, place, { limit: 10 })).toEqual([]);
    expect(await readState(db, place.tenantId, blobId)).toBe('condemned');
  });

  it('condemn their blob only when nothing else uses it [W12]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId, blobId } = await createAttachment(db, place);
    const second = randomUUID();
    await db.asTenant(place.tenantId, async (tx) => {
      await tx.execute(sql`insert into attachment select (jsonb_populate_record(a, jsonb_build_object('id', ${second}::uuid))).*
        from attachment a where id = ${attachmentId}::uuid`);
      await deleteAttachment(tx, attachmentId);
    });
    expect(await readState(db, place.tenantId, blobId)).toBe('live');
    await db.asTenant(place.tenantId, (tx) => deleteAttachment(tx, second));
    expect(await readState(db, place.tenantId, blobId)).toBe('condemned');
  });

  it('are not deleted by another tenant [S1 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    const other = await createTenant(db);
    expect(await db.asTenant(other, (tx) => deleteAttachment(tx, attachmentId))).toBeUndefined();
    expect(await db.asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId))).toBeDefined();
  });

  it('raise their URL generation', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place);
    await db.asTenant(place.tenantId, (tx) => raiseUrlGeneration(tx, attachmentId));
    const stored = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.urlGeneration).toBe(2);
  });
}

function describeVariants({ useDb }: DatabaseSuite): void {
  it('have one variant per id: a retry adds none and condemns its own bytes [W9 DL-45 DL-07]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const { attachmentId } = await createAttachment(db, place);
    const variantId = randomUUID();
    const first = await createVariant(db, tenantId, variantId);
    const second = await createVariant(db, tenantId, variantId);
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    const blobs = await db.asTenant(tenantId, (tx) => tx.select().from(blob));
    const stateOf = (id: string) => blobs.find((row) => row.id === id)?.state;
    expect([stateOf(first.blobId), stateOf(second.blobId)]).toEqual(['live', 'condemned']);
    const stored = await db.asTenant(tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.attachment.variants).toMatchObject([{ id: idFromUuid('variant', variantId), scale: 0.5, width: 8 }]);
    const found = await db.asTenant(tenantId, (tx) => findVariant(tx, variantId));
    expect(found).toMatchObject({ sourceSha256: stored?.attachment.sha256, blobKey: `key-${first.blobId}` });
    const used = await db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst());
    expect(used?.usedBytes).toBe(42 + 7);
  });

  it('share no variant with another tenant [BX-07]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    const variantId = randomUUID();
    await createVariant(db, place.tenantId, variantId);
    const { attachmentId } = await createAttachment(db, other);
    const stored = await db.asTenant(other.tenantId, (tx) => findAttachment(tx, attachmentId));
    expect(stored?.attachment.variants).toEqual([]);
    expect(await db.asTenant(other.tenantId, (tx) => findVariant(tx, variantId))).toBeUndefined();
  });
}
