import { randomUUID } from 'node:crypto';
import { type Failure, idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import { readStoredAttachments } from '../../src/attachment/attachment-reader.ts';
import { deleteAttachment, type Inspection, settleInspection } from '../../src/attachment/attachment-writer.ts';
import { readRungAttachment } from '../../src/attachment/rung-attachment.ts';
import { recordUpload, reserveUpload, type UploadRecord } from '../../src/attachment/upload-writer.ts';
import type { Announced } from '../../src/database.ts';
import { createPlace, newRecord, newReservation, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const ready: Inspection = { status: 'ready', mimeType: 'image/png', kind: 'image', facts: {}, warnings: [] };

/** The contents of a ring for a new attachment, and the checks against the database. */
export function describeRungAttachments({ useDb, whileRinging }: DatabaseSuite): void {
  const record = async (place: Place, given: Partial<UploadRecord> = {}) => {
    const reservation = newReservation(place);
    const upload = newRecord(reservation, given);
    await reserveUpload(useDb(), reservation);
    const announced: Announced[] = await whileRinging(30_000, () => recordUpload(useDb(), upload));
    const [rung] = announced;
    // It comes over a wire.
    const head = rung?.head === undefined ? undefined : JSON.parse(JSON.stringify(rung.head));
    return { ...upload, eventId: rung?.id ?? '', key: reservation.key, head };
  };

  it('is what the projector would read of it [AT-02]', async () => {
    const place = await createPlace(useDb());
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const given = {
      sha256: 'c'.repeat(64),
      declaredMimeType: 'image/gif',
      origin: 'tool-output',
      source: 'tool',
    } as const;
    for (const upload of [{}, { ...given, trace, name: 'Ä "quoted" \\ name.png' }]) {
      const { attachmentId, head } = await record(place, upload);
      const [read] = await readStoredAttachments(useDb(), place.tenantId, [attachmentId]);
      expect(read?.id).toBe(attachmentId);
      expect(readRungAttachment(head, { ...place, attachmentId })).toEqual(read);
    }
  });

  it('is not there where the same bytes were stored before, or nothing is to be inspected [BX-07]', async () => {
    const place = await createPlace(useDb());
    expect((await record(place)).head).toBeDefined();
    const again = await record(place);
    expect([again.eventId !== '', again.head]).toEqual([true, undefined]);
    const found = { facts: {}, warnings: [] };
    expect(await record(place, { sha256: 'd'.repeat(64), found })).toMatchObject({ eventId: '', head: undefined });
  });

  it('counts for no other session or attachment, nor in any other form', async () => {
    const place = await createPlace(useDb());
    const { head, attachmentId } = await record(place);
    const rung = { sessionId: place.sessionId, attachmentId };
    for (const key of ['sessionId', 'attachmentId'] as const)
      expect(readRungAttachment(head, { ...rung, [key]: randomUUID() })).toBeUndefined();
    const { attachment } = head;
    const other = idFromUuid('attachment', randomUUID());
    const preview = {
      id: idFromUuid('variant', randomUUID()),
      purpose: 'preview',
      mimeType: 'image/webp',
      sizeBytes: 1,
    };
    const changed = [
      ...[{ id: other }, { id: 7 }, { id: '' }, { status: 'ready' }, { status: 'lost' }, { sizeBytes: -1 }],
      ...[
        { sizeBytes: '42' },
        { sha256: 'short' },
        { name: null },
        { variants: [{ ...preview, sha256: attachment.sha256 }] },
      ],
    ].map((change) => ({ ...head, attachment: { ...attachment, ...change } }));
    const forms = [
      null,
      7,
      'head',
      [],
      {},
      { ...head, attachment: null },
      { ...head, blobKey: 7 },
      { ...head, uploadedBy: {} },
    ];
    for (const form of [...forms, ...changed]) expect(readRungAttachment(form, rung)).toBeUndefined();
  });

  it('is settled only where the attachment uses the blob that was inspected, and the message counts as handled only then [W8]', async () => {
    const place = await createPlace(useDb());
    const one = await record(place);
    const other = await record(place, { sha256: 'e'.repeat(64) });
    const settle = ({ attachmentId, eventId }: typeof one, seenKey: string) =>
      settleInspection(useDb(), { ...place, attachmentId, eventId, seenKey, inspection: ready, events: [] });
    for (const key of [other.key, 'key-of-nothing', '']) expect(await settle(one, key)).toBe(false);
    // One that comes before its commit can be seen says nothing either.
    expect(await settle({ ...one, attachmentId: randomUUID() }, one.key)).toBe(false);
    const read = async () => (await readStoredAttachments(useDb(), place.tenantId, [one.attachmentId]))[0];
    expect((await read())?.attachment.status).toBe('pending');
    expect(await settle(one, one.key)).toBe(true);
    expect((await read())?.attachment.status).toBe('ready');
    expect(await settle(one, one.key)).toBe(false);
  });

  it('marks no bytes lost that the attachment does not use, and is not settled once it is deleted [DL-81]', async () => {
    const place = await createPlace(useDb());
    const [one, other] = [await record(place), await record(place, { sha256: 'f'.repeat(64) })];
    const failure: Failure = {
      ...{ code: 'attachment_missing', severity: 'error', userMessage: 'm', diagnostic: 'd', retryable: false },
    };
    const inspection: Inspection = { status: 'rejected', mimeType: 'image/png', kind: 'image', failure };
    const { attachmentId, eventId } = one;
    const lost = { ...place, attachmentId, eventId, inspection, seenKey: other.key, lostKey: other.key, events: [] };
    expect(await settleInspection(useDb(), lost)).toBe(false);
    // Bytes that count as lost are not found again.
    expect((await record(place, { sha256: 'f'.repeat(64) })).head).toBeUndefined();
    await useDb().asTenant(place.tenantId, (tx) => deleteAttachment(tx, attachmentId));
    const settled = { ...place, attachmentId, eventId, seenKey: one.key, inspection: ready, events: [] };
    expect(await settleInspection(useDb(), settled)).toBe(false);
  });
}
