import { randomUUID } from 'node:crypto';
import { idFromUuid, type TranscriptEntry } from '@attache/contracts';
import { acceptMessage, appendEvents, deleteAttachment } from '@attache/database';
import { countRoundTrips, createAttachment, createDelivery, newMessage } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { readTranscript, type TranscriptQuery } from './read-transcript.ts';

const read = ({ deps, tenantId, sessionId }: Fixture, given: Partial<TranscriptQuery> = {}) =>
  readTranscript(deps, { tenantId, sessionId, afterSeq: 0, limit: 1000, describesFiles: true, ...given });

async function readWhole(fixture: Fixture, limit: number): Promise<{ entries: TranscriptEntry[]; pages: number[] }> {
  const entries: TranscriptEntry[] = [];
  const pages: number[] = [];
  for (let afterSeq = 0, hasMore = true; hasMore; ) {
    const page = await read(fixture, { afterSeq, limit });
    pages.push(page.looked.length);
    entries.push(...page.looked.flatMap(({ entry }) => entry ?? []));
    afterSeq = page.looked.at(-1)?.seq ?? afterSeq;
    hasMore = page.hasMore;
  }
  return { entries, pages };
}

const messagesOf = (entries: readonly TranscriptEntry[]) => entries.filter((entry) => entry.type === 'message');

it('shows the text of a message, and its files by descriptor: of a deleted one the id alone [SR-20]', async () => {
  const fixture = await openFixture();
  const { deps, tenantId } = fixture;
  const [kept, gone] = [await createAttachment(deps.db, fixture), await createAttachment(deps.db, fixture)];
  await createDelivery(deps.db, fixture, [kept.attachmentId, gone.attachmentId]);
  await deps.db.asTenant(tenantId, (tx) => deleteAttachment(tx, gone.attachmentId));
  const [message] = messagesOf((await readWhole(fixture, 1000)).entries);
  expect(message).toMatchObject({ text: 'hello', attachments: [{ status: 'pending' }, { status: 'deleted' }] });
  expect(message?.attachments[0]).toMatchObject({
    id: idFromUuid('attachment', kept.attachmentId),
    mimeType: 'image/png',
  });
  expect(message?.attachments[1]).toEqual({ id: idFromUuid('attachment', gone.attachmentId), status: 'deleted' });
  const { looked } = await read(fixture, { describesFiles: false });
  const [bare] = messagesOf(looked.flatMap(({ entry }) => entry ?? []));
  expect(bare?.attachments[0]).toEqual({ id: idFromUuid('attachment', kept.attachmentId), status: 'pending' });
});

it('is the same in pages of any size, and none is larger than asked [SR-15]', async () => {
  const fixture = await openFixture();
  for (let count = 0; count < 4; count += 1) await createDelivery(fixture.deps.db, fixture);
  const whole = await readWhole(fixture, 1000);
  expect(messagesOf(whole.entries)).toHaveLength(4);
  for (const limit of [1, 2, 3]) {
    const paged = await readWhole(fixture, limit);
    expect(paged.entries).toEqual(whole.entries);
    expect(Math.max(...paged.pages)).toBe(limit);
  }
});

it('ends a page before its texts pass 4 MiB, and still shows a message of 5 MB', async () => {
  const fixture = await openFixture();
  const send = (text: string) => acceptMessage(fixture.deps.db, { ...newMessage(fixture, []), text });
  for (const size of [5_000_000, 3_000_000, 3_000_000, 10]) await send('x'.repeat(size));
  const { entries, pages } = await readWhole(fixture, 1000);
  expect(messagesOf(entries).map(({ text }) => text?.length)).toEqual([5_000_000, 3_000_000, 3_000_000, 10]);
  expect(pages.length).toBeGreaterThanOrEqual(3);
});

it('costs the same few statements whatever the page holds', async () => {
  const fixture = await openFixture();
  for (let count = 0; count < 20; count += 1) await createDelivery(fixture.deps.db, fixture);
  const { db, take } = countRoundTrips(fixture.deps.db);
  const counting: Fixture = { ...fixture, deps: { ...fixture.deps, db } };
  await read(counting, { limit: 3 });
  const few = take();
  await read(counting, { limit: 1000 });
  expect(take()).toBe(few);
});

it('shows an event of a later release as such, and what is behind it [DL-47]', async () => {
  const fixture = await openFixture();
  const { deps, tenantId, sessionId } = fixture;
  const later = { kind: 'session.compacted', actor: { type: 'service', id: 'ingest' }, data: { by: randomUUID() } };
  await deps.db.asTenant(tenantId, (tx) => appendEvents(tx, sessionId, [later as never]));
  await createDelivery(deps.db, fixture);
  const { entries } = await readWhole(fixture, 1000);
  expect(entries).toContainEqual(
    expect.objectContaining({ type: 'unreadable', kind: 'session.compacted', reason: 'unknown-kind' }),
  );
  expect(messagesOf(entries)).toHaveLength(1);
});

it('holds nothing of another tenant', async () => {
  const [mine, other] = [await openFixture(), await openFixture()];
  await createDelivery(other.deps.db, other);
  expect(await read(mine, { sessionId: other.sessionId })).toEqual({ looked: [], hasMore: false });
});
